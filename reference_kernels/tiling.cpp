// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/tiling.h"

#include <algorithm>
#include <stdexcept>

namespace moescope::reference {
namespace {

constexpr int kColumnGrain = 16;  // a panel of packed weights

std::int64_t piece_begin(std::int64_t rows, int piece, int pieces) {
  return rows * piece / pieces;
}
// The piece of `pieces` that has the row.
int piece_of(std::int64_t row, std::int64_t rows, int pieces) {
  auto piece = static_cast<int>(row * pieces / rows);
  while (piece_begin(rows, piece + 1, pieces) <= row) ++piece;
  while (piece_begin(rows, piece, pieces) > row) --piece;
  return piece;
}

}  // namespace

std::array<RowRange, 2> rows_of(const Tile& tile, std::int64_t rows, std::int64_t own_first_row) {
  std::int64_t begin = piece_begin(rows, tile.row_piece, tile.row_pieces);
  std::int64_t count = piece_begin(rows, tile.row_piece + 1, tile.row_pieces) - begin;
  if (!tile.own_first || count == 0) return {RowRange{begin, count}, RowRange{}};
  begin = (begin + own_first_row) % rows;
  const std::int64_t before_end = std::min(count, rows - begin);
  return {RowRange{begin, before_end}, RowRange{0, count - before_end}};
}

Columns columns_of(int slice, int slices, int width) {
  const int grains = (width + kColumnGrain - 1) / kColumnGrain;
  const auto edge = [&](int i) { return std::min(width, grains * i / slices * kColumnGrain); };
  return {edge(slice), edge(slice + 1)};
}

Tiling::Tiling(std::string_view schedule, const ScheduleCut& cut, const std::vector<int>& wave_sizes)
    : kind_(schedule == "naive"   ? Kind::kNaive
            : schedule == "comet" ? Kind::kComet
            : schedule == "wave"  ? Kind::kWave
                                  : Kind::kInterleaved),
      cut_(cut) {
  if (wave_sizes.empty()) return;
  std::vector<int> ends;
  for (const int size : wave_sizes) ends.push_back((ends.empty() ? 0 : ends.back()) + size);
  if (ends.back() != cut_.cuts.experts) throw std::logic_error("wave sizes that do not add up to the experts");
  cut_.cuts.waves = static_cast<int>(ends.size());
  ends_ = std::make_shared<const std::vector<int>>(std::move(ends));
  cut_.cuts.ends = *ends_;
}

Tiling Tiling::whole(int local_experts) {
  ScheduleCut cut;
  cut.cuts.experts = local_experts;
  return Tiling("naive", cut);
}

Tiling Tiling::waves(int local_experts, int waves, int blocks) {
  ScheduleCut cut;
  cut.cuts = {local_experts, waves, blocks, {}};
  return Tiling("wave", cut);
}

AnySchedule Tiling::schedule(const EngineMap& engines) const {
  switch (kind_) {
    case Kind::kComet:
      return CometSchedule{cut_.chunks, engines};
    case Kind::kWave:
      return WaveSchedule{cut_.cuts, cut_.ring, engines};
    case Kind::kInterleaved:
      return InterleavedSchedule{cut_.cuts.experts * std::max(1, cut_.cuts.blocks), cut_.slices, cut_.warm_up,
                                 cut_.ring, engines};
    case Kind::kNaive:
      break;
  }
  return NaiveSchedule{engines};
}

int Tiling::parts(Stage stage) const {
  const int blocks = cut_.cuts.experts * std::max(1, cut_.cuts.blocks);
  switch (kind_) {
    case Kind::kComet:
      return CometSchedule{cut_.chunks}.parts(stage);
    case Kind::kWave:
      return cut_.cuts.parts();
    case Kind::kInterleaved:
      return InterleavedSchedule{blocks, cut_.slices}.parts(stage);
    case Kind::kNaive:
      break;
  }
  return 1;
}

Tile Tiling::tile(Task task) const {
  const Cuts& cuts = cut_.cuts;
  Tile tile;
  tile.expert_end = cuts.experts;
  const auto one_block = [&](int block) {
    const int blocks = std::max(1, cuts.blocks);
    tile.expert_begin = block / blocks;
    tile.expert_end = tile.expert_begin + 1;
    tile.row_piece = block % blocks;
    tile.row_pieces = blocks;
  };
  switch (kind_) {
    case Kind::kNaive:
      break;
    case Kind::kComet:
      if (task.stage == Stage::kDispatch || task.stage == Stage::kL1) {
        tile.row_piece = task.part;
        tile.row_pieces = cut_.chunks;
        tile.own_first = true;
      } else if (task.stage != Stage::kAct) {
        tile.slice = task.part;
        tile.slices = cut_.chunks;
        tile.result_columns = true;
      }
      break;
    case Kind::kWave:
      if (cuts.blocks > 0) {
        one_block(task.part);
      } else {
        tile.expert_begin = cuts.first_expert(task.part);
        tile.expert_end = cuts.first_expert(task.part + 1);
      }
      break;
    case Kind::kInterleaved:
      one_block(is_link_stage(task.stage) ? task.part : task.part / cut_.slices);
      if (!is_link_stage(task.stage)) {
        tile.slice = task.part % cut_.slices;
        tile.slices = cut_.slices;
      }
      break;
  }
  return tile;
}

double Tiling::share(Task task) const {
  const Tile t = tile(task);
  return static_cast<double>(t.expert_end - t.expert_begin) / cut_.cuts.experts / t.row_pieces / t.slices;
}

int Tiling::part_of_row(Stage stage, int local_expert, std::int64_t row, std::int64_t rows,
                        std::int64_t own_first_row) const {
  const Cuts& cuts = cut_.cuts;
  const int blocks = std::max(1, cuts.blocks);
  switch (kind_) {
    case Kind::kNaive:
      return 0;
    case Kind::kComet:
      if (stage != Stage::kDispatch && stage != Stage::kL1) return 0;
      return piece_of((row - own_first_row + rows) % rows, rows, cut_.chunks);
    case Kind::kWave:
      if (cuts.blocks == 0) return cuts.wave_of_expert(local_expert);
      return local_expert * blocks + piece_of(row, rows, blocks);
    case Kind::kInterleaved:
      return (local_expert * blocks + piece_of(row, rows, blocks)) * (is_link_stage(stage) ? 1 : cut_.slices);
  }
  return 0;
}

}  // namespace moescope::reference

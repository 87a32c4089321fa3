// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cpu/stage_work.h"

#include <algorithm>

#include "reference_kernels/cpu/activation.h"

namespace moescope::reference {

const std::vector<float>& StageWork::layer_input(int round, int rank) const {
  const int layer = round % shape_.layers;
  const RankBuffers& buffers = workspace_.rank(rank);
  return layer == 0 ? buffers.input : buffers.layer[layer % 2];
}

std::vector<float>& StageWork::layer_output(int round, int rank) {
  const int layer = round % shape_.layers;
  RankBuffers& buffers = workspace_.rank(rank);
  if (layer == shape_.layers - 1) return buffers.output[static_cast<std::size_t>(round / shape_.layers)];
  return buffers.layer[(layer + 1) % 2];
}

void StageWork::run(int round, int rank, Task task, WireMeter* meter) {
  const Tile tile = tiling_.tile(task);
  switch (task.stage) {
    case Stage::kDispatch:
      return dispatch(round, rank, tile, meter);
    case Stage::kL1:
      return l1(round, rank, tile);
    case Stage::kAct:
      return activate(round, rank, tile);
    case Stage::kL2:
      return l2(round, rank, tile);
    case Stage::kCombine:
      return combine(round, rank, task.part, tile, meter);
  }
}

template <class Visit>
void StageWork::for_each_run(int round, int rank, const Tile& tile, Visit visit) const {
  for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
    const int expert = shape_.first_expert(rank) + local;
    for (const RowRange& range : plan(round).rows().tile_rows(tile, expert)) {
      if (range.count > 0) visit(expert, plan(round).first_row(expert) + range.first, range.count);
    }
  }
}

void StageWork::dispatch(int round, int rank, const Tile& tile, WireMeter* meter) {
  RankBuffers& here = workspace_.rank(rank);
  const Routing& routing = routings_[static_cast<std::size_t>(round)];
  const auto row_bytes = static_cast<std::int64_t>(bytes_per_element(here.received.dtype())) * shape_.hidden;
  const ExpertRows& rows = plan(round).rows();
  // Peers in turn, beginning with the next one, so that not all ranks pull from the same rank at once; where own rows
  // go first, beginning with the rank itself.
  for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
    const int expert = shape_.first_expert(rank) + local;
    for (int i = 0; i < shape_.ranks; ++i) {
      const int source = (rank + i + (tile.own_first ? 0 : 1)) % shape_.ranks;
      const std::vector<float>& tokens = layer_input(round, source);
      const std::span<const std::int32_t> entries = plan(round).sent(source, expert);
      const std::int64_t first = rows.begin(expert, source);
      for (const RowRange& range : rows.tile_rows(tile, expert)) {
        const std::int64_t end = std::min(range.end(), rows.begin(expert, source + 1));
        for (std::int64_t row = std::max(range.first, first); row < end; ++row) {
          const std::int32_t entry = entries[static_cast<std::size_t>(row - first)];
          const auto token = static_cast<std::size_t>(entry / shape_.top_k);
          const std::int64_t place = plan(round).first_row(expert) + row;
          here.received.store(place, tokens.data() + token * static_cast<std::size_t>(shape_.hidden));
          const std::size_t first_slot = static_cast<std::size_t>(source) * static_cast<std::size_t>(shape_.tokens) *
                                         static_cast<std::size_t>(shape_.top_k);
          here.row_weight[static_cast<std::size_t>(place)] =
              routing.weight[first_slot + static_cast<std::size_t>(entry)];
          if (source != rank && meter != nullptr) meter->sent(row_bytes);
        }
      }
    }
  }
}

void StageWork::l1(int round, int rank, const Tile& tile) {
  RankBuffers& here = workspace_.rank(rank);
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{shape_.intermediate};
  const Columns columns = columns_of(tile.slice, tile.slices, shape_.intermediate);
  const GemmSlice slice{columns.begin, columns.end, 0, shape_.hidden};
  for_each_run(round, rank, tile, [&](int expert, std::int64_t first, std::int64_t rows) {
    thread_local std::vector<float> widened;  // several workers of a rank may be here at once
    if (here.received.dtype() != Dtype::kFp32)
      widened.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape_.hidden));
    const float* in = here.received.read(first, rows, widened.data());
    const ExpertWeights& weights = workspace_.weights(round % shape_.layers, expert);
    float* middle = here.middle.data() + first * stride;
    gemm(gemm_path_, static_cast<int>(rows), in, shape_.hidden, weights.gate, slice, middle, stride);
    gemm(gemm_path_, static_cast<int>(rows), in, shape_.hidden, weights.up, slice, middle + shape_.intermediate,
         stride);
  });
}

void StageWork::activate(int round, int rank, const Tile& tile) {
  RankBuffers& here = workspace_.rank(rank);
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{shape_.intermediate};
  const Columns columns = columns_of(tile.slice, tile.slices, shape_.intermediate);
  for_each_run(round, rank, tile, [&](int, std::int64_t first, std::int64_t rows) {
    weighted_swiglu(static_cast<int>(rows), columns.count(), here.row_weight.data() + first,
                    here.middle.data() + first * stride + columns.begin, shape_.intermediate, stride);
  });
}

void StageWork::l2(int round, int rank, const Tile& tile) {
  RankBuffers& here = workspace_.rank(rank);
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{shape_.intermediate};
  const bool direct = here.result.dtype() == Dtype::kFp32;
  GemmSlice slice{0, shape_.hidden, 0, shape_.intermediate};
  if (tile.result_columns) {
    const Columns columns = columns_of(tile.slice, tile.slices, shape_.hidden);
    slice.n_begin = columns.begin, slice.n_end = columns.end;
  } else {
    const Columns columns = columns_of(tile.slice, tile.slices, shape_.intermediate);
    slice.k_begin = columns.begin, slice.k_end = columns.end;
  }
  const bool sums_whole = slice.k_end == shape_.intermediate;
  for_each_run(round, rank, tile, [&](int expert, std::int64_t first, std::int64_t rows) {
    float* out = direct ? here.result.floats(first) : here.sums.data() + first * shape_.hidden;
    gemm(gemm_path_, static_cast<int>(rows), here.middle.data() + first * stride, stride,
         workspace_.weights(round % shape_.layers, expert).down, slice, out, shape_.hidden);
    for (std::int64_t i = 0; i < rows && !direct && sums_whole; ++i) {
      here.result.store(first + i, out + i * shape_.hidden, slice.n_begin, slice.n_end);
    }
  });
}

void StageWork::combine(int round, int rank, int part, const Tile& tile, WireMeter* meter) {
  RankBuffers& here = workspace_.rank(rank);
  const ExpertRows& rows = plan(round).rows();
  const Columns columns =
      tile.result_columns ? columns_of(tile.slice, tile.slices, shape_.hidden) : Columns{0, shape_.hidden};
  const auto row_bytes = static_cast<std::int64_t>(bytes_per_element(here.slots.dtype())) * columns.count();
  for (int i = 1; i <= shape_.ranks; ++i) {
    const int owner = (rank + i) % shape_.ranks;
    for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
      const int expert = shape_.first_expert(owner) + local;
      const std::span<const std::int32_t> entries = plan(round).sent(rank, expert);
      const std::int64_t first = rows.begin(expert, rank);
      for (const RowRange& range : rows.tile_rows(tile, expert)) {
        const std::int64_t end = std::min(range.end(), rows.begin(expert, rank + 1));
        for (std::int64_t row = std::max(range.first, first); row < end; ++row) {
          here.slots.copy(entries[static_cast<std::size_t>(row - first)], workspace_.rank(owner).result,
                          plan(round).first_row(expert) + row, columns.begin, columns.end);
          if (owner != rank && meter != nullptr) meter->sent(row_bytes);
        }
      }
    }
  }
  // A token is whole once its last slot is there: its results are added in slot order, never in order of arrival.
  const std::vector<float>& in = layer_input(round, rank);
  std::vector<float>& out = layer_output(round, rank);
  const auto hidden = static_cast<std::size_t>(shape_.hidden), begin = static_cast<std::size_t>(columns.begin),
             end = static_cast<std::size_t>(columns.end);
  std::vector<float> widened(here.slots.dtype() == Dtype::kFp32 ? 0 : hidden), sum(hidden);
  for (std::int32_t token : plan(round).completed(rank, part)) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int slot = 0; slot < shape_.top_k; ++slot) {
      const float* result = here.slots.read(std::int64_t{token} * shape_.top_k + slot, 1, widened.data());
      for (std::size_t i = begin; i < end; ++i) sum[i] += result[i];
    }
    const std::size_t first = static_cast<std::size_t>(token) * hidden;
    for (std::size_t i = begin; i < end; ++i) out[first + i] = in[first + i] + sum[i];
  }
}

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/layer_volume.h"

#include <cmath>
#include <stdexcept>

namespace moescope::reference {
namespace {

struct Totals {
  std::int64_t out_bytes = 0, back_bytes = 0, flops = 0;
  bool operator==(const Totals&) const = default;
};

std::int64_t piece(std::int64_t count, int part, int parts) {
  return count * (part + 1) / parts - count * part / parts;
}

// FLOPs of a stage that schedules do not cut, of one of its parts. rows: token-expert pairs on the rank.
std::int64_t uncut_flops(const MoeShape& shape, std::int64_t rows, Stage stage, int part, int parts) {
  const std::int64_t h = shape.hidden, d = shape.intermediate, dense = shape.dense,
                     shared = std::int64_t{shape.shared_experts} * d, tokens = shape.tokens;
  switch (stage) {
    case Stage::kDense:
      return 4 * h * dense * piece(tokens, part, parts);
    case Stage::kShared:
      return 6 * h * shared * piece(tokens, part, parts);
    case Stage::kWeightGradL2:
      return 2 * rows * h * piece(d, part, parts);
    case Stage::kWeightGradL1:
      return 4 * rows * d * piece(h, part, parts);
    case Stage::kWeightGradSide:
      return 2 * tokens * (dense * piece(h, part, parts) + h * piece(dense, part, parts)) +
             2 * tokens * (2 * shared * piece(h, part, parts) + h * piece(shared, part, parts));
    default:
      return 0;
  }
}

}  // namespace

std::int64_t WireFormat::dispatch_row(int hidden) const {
  return static_cast<std::int64_t>(std::ceil(dispatch_bytes * hidden));
}
std::int64_t WireFormat::combine_row(int hidden) const {
  return static_cast<std::int64_t>(std::ceil(combine_bytes * hidden));
}

std::int64_t WireFormat::combine_columns(Columns columns) const {
  return combine_row(columns.end) - combine_row(columns.begin);
}

void fill_volumes(const MoeShape& shape, const WireFormat& wire, const Tiling& tiling, const StepPlan& plan,
                  const Round& of_step, const ExpertRows& rows, int round, Volumes& volumes) {
  const bool forward = of_step.direction == Direction::kForward;
  const std::int64_t to_experts = wire.row_to_experts(shape.hidden, of_step.direction);
  Totals over_parts;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    std::int64_t rows_here = 0;
    for (int local = 0; local < shape.local_experts(); ++local)
      rows_here += rows.rows(shape.first_expert(rank) + local);
    for (Stage stage : kMoeStages) {
      for (int part = 0; part < tiling.parts(stage); ++part) {
        const Tile tile = tiling.tile({stage, part});
        std::int64_t here = 0, pulled = 0;  // rows of this rank's experts; rows that come from other ranks
        for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
          const int mine = shape.first_expert(rank) + local;
          for (const RowRange& range : rows.tile_rows(tile, mine)) here += range.count;
          for (int other = 0; other < shape.ranks; ++other) {
            if (other == rank) continue;
            if (stage == Stage::kDispatch) pulled += rows.tile_rows(tile, mine, other);
            if (stage == Stage::kCombine) pulled += rows.tile_rows(tile, shape.first_expert(other) + local, rank);
          }
        }
        Volume volume;
        const std::int64_t inner =
            columns_of(tile.slice, tile.result_columns ? 1 : tile.slices, shape.intermediate).count();
        const Columns result = columns_of(tile.slice, tile.slices, shape.hidden);
        // Both projections of the expert take 6 h d: forward the first 4 and the second 2, backward the other way
        // round.
        const std::int64_t first_share = forward ? 4 : 2;
        switch (stage) {
          case Stage::kDispatch:
            over_parts.out_bytes += volume.bytes = pulled * to_experts;
            break;
          case Stage::kL1:
            volume.flops = here * first_share * shape.hidden * inner;
            break;
          case Stage::kL2:
            volume.flops =
                here * (6 - first_share) *
                (tile.result_columns ? std::int64_t{shape.intermediate} * result.count() : shape.hidden * inner);
            break;
          case Stage::kCombine:
            over_parts.back_bytes += volume.bytes =
                pulled * (tile.result_columns ? wire.combine_columns(result) : wire.combine_row(shape.hidden));
            break;
          default:
            break;
        }
        over_parts.flops += volume.flops;
        volumes.at(round, rank, {stage, part}) = volume;
      }
    }
    plan.for_each([&](int other_round, Task task) {
      if (&plan.round(other_round) != &of_step || static_cast<int>(task.stage) < kMoeStageCount) return;
      Volume& volume = volumes.at(round, rank, task);
      if (task.stage == Stage::kAllReduce) volume.bytes = all_reduce_bytes(shape);
      volume.flops = uncut_flops(shape, rows_here, task.stage, task.part, plan.shape().compute_workers);
    });
  }
  std::int64_t all = 0, remote = 0;
  for (int expert = 0; expert < shape.experts; ++expert) {
    all += rows.rows(expert);
    remote += rows.rows(expert) - rows.rows(expert, shape.owner(expert));
  }
  const Totals whole{remote * to_experts, remote * wire.combine_row(shape.hidden),
                     all * 6 * shape.hidden * shape.intermediate};
  if (over_parts != whole) throw std::logic_error("bytes or FLOPs over the parts are not those of the layer");
}

std::vector<std::int64_t> bytes_to_peers(const MoeShape& shape, const WireFormat& wire, const Tiling& tiling,
                                         Direction direction, const ExpertRows& rows, int source, Task task) {
  const Tile tile = tiling.tile(task);
  const std::int64_t row = task.stage == Stage::kDispatch ? wire.row_to_experts(shape.hidden, direction)
                           : tile.result_columns
                               ? wire.combine_columns(columns_of(tile.slice, tile.slices, shape.hidden))
                               : wire.combine_row(shape.hidden);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(shape.ranks));
  for (int peer = 0; peer < shape.ranks; ++peer) {
    for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
      bytes[static_cast<std::size_t>(peer)] +=
          row * (task.stage == Stage::kDispatch ? rows.tile_rows(tile, shape.first_expert(peer) + local, source)
                                                : rows.tile_rows(tile, shape.first_expert(source) + local, peer));
    }
  }
  return bytes;
}

std::int64_t all_reduce_bytes(const MoeShape& shape) {
  const std::int64_t width =
      3 * std::int64_t{shape.shared_experts} * shape.intermediate + 2 * std::int64_t{shape.dense};
  return 2 * (shape.ranks - 1) * (width * shape.hidden * 4) / shape.ranks;
}

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/layer_volume.h"

#include <cmath>
#include <stdexcept>

namespace moescope::reference {
namespace {

struct Totals {
  std::int64_t dispatch_bytes = 0, combine_bytes = 0, flops = 0;
  bool operator==(const Totals&) const = default;
};

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

void fill_volumes(const MoeShape& shape, const WireFormat& wire, const Tiling& tiling, const ExpertRows& rows,
                  int round, Volumes& volumes) {
  Totals over_parts;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    for (Stage stage : kAllStages) {
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
        const std::int64_t inner = columns_of(tile.slice, tile.slices, shape.intermediate).count();
        const Columns result = columns_of(tile.slice, tile.slices, shape.hidden);
        switch (stage) {
          case Stage::kDispatch:
            over_parts.dispatch_bytes += volume.bytes = pulled * wire.dispatch_row(shape.hidden);
            break;
          case Stage::kL1:
            volume.flops = here * 4 * shape.hidden * inner;
            break;
          case Stage::kAct:
            break;
          case Stage::kL2:
            volume.flops =
                tile.result_columns ? here * 2 * shape.intermediate * result.count() : here * 2 * shape.hidden * inner;
            break;
          case Stage::kCombine:
            over_parts.combine_bytes += volume.bytes =
                pulled * (tile.result_columns ? wire.combine_columns(result) : wire.combine_row(shape.hidden));
            break;
        }
        over_parts.flops += volume.flops;
        volumes.at(round, rank, {stage, part}) = volume;
      }
    }
  }
  std::int64_t all = 0, remote = 0;
  for (int expert = 0; expert < shape.experts; ++expert) {
    all += rows.rows(expert);
    remote += rows.rows(expert) - rows.rows(expert, shape.owner(expert));
  }
  const Totals whole{remote * wire.dispatch_row(shape.hidden), remote * wire.combine_row(shape.hidden),
                     all * 6 * shape.hidden * shape.intermediate};
  if (over_parts != whole) throw std::logic_error("bytes or FLOPs over the parts are not those of the layer");
}

std::vector<std::int64_t> bytes_to_peers(const MoeShape& shape, const WireFormat& wire, const Tiling& tiling,
                                         const ExpertRows& rows, int source, Task task) {
  const Tile tile = tiling.tile(task);
  const std::int64_t row = task.stage == Stage::kDispatch ? wire.dispatch_row(shape.hidden)
                           : tile.result_columns
                               ? wire.combine_columns(columns_of(tile.slice, tile.slices, shape.hidden))
                               : wire.combine_row(shape.hidden);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(shape.ranks));
  for (int peer = 0; peer < shape.ranks; ++peer) {
    for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
      // Dispatch: its tokens, to the peer's experts; combine: its experts' results, for the peer's tokens.
      bytes[static_cast<std::size_t>(peer)] +=
          row * (task.stage == Stage::kDispatch ? rows.tile_rows(tile, shape.first_expert(peer) + local, source)
                                                : rows.tile_rows(tile, shape.first_expert(source) + local, peer));
    }
  }
  return bytes;
}

}  // namespace moescope::reference

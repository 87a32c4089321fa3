// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/layer_volume.h"

#include <cmath>
#include <stdexcept>

namespace moescope::reference {
namespace {

// Tokens of `source` for the experts of wave `wave` on `owner`.
std::int64_t pairs(const MoeShape& shape, const WavePartition& waves, const std::vector<std::int64_t>& counts,
                   int source, int owner, int wave) {
  std::int64_t sum = 0;
  for (int local = waves.begin(wave); local < waves.end(wave); ++local) {
    const auto expert = static_cast<std::size_t>(shape.first_expert(owner) + local);
    sum += counts[expert * static_cast<std::size_t>(shape.ranks) + static_cast<std::size_t>(source)];
  }
  return sum;
}

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

void fill_volumes(const MoeShape& shape, const WireFormat& wire, const WavePartition& waves,
                  const std::vector<std::int64_t>& counts, int round, Volumes& volumes) {
  Totals over_waves;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    for (int wave = 0; wave < waves.waves(); ++wave) {
      std::int64_t received = 0, pulled_tokens = 0, pulled_results = 0;
      for (int other = 0; other < shape.ranks; ++other) {
        const std::int64_t here = pairs(shape, waves, counts, other, rank, wave);
        received += here;
        if (other == rank) continue;
        pulled_tokens += here;
        pulled_results += pairs(shape, waves, counts, rank, other, wave);
      }
      const std::int64_t dispatch = pulled_tokens * wire.dispatch_row(shape.hidden);
      const std::int64_t combine = pulled_results * wire.combine_row(shape.hidden);
      volumes.at(round, rank, {Stage::kDispatch, wave}) = {dispatch, 0};
      volumes.at(round, rank, {Stage::kL1, wave}) = {0, received * shape.l1_flops_per_pair()};
      volumes.at(round, rank, {Stage::kAct, wave}) = {0, 0};
      volumes.at(round, rank, {Stage::kL2, wave}) = {0, received * shape.l2_flops_per_pair()};
      volumes.at(round, rank, {Stage::kCombine, wave}) = {combine, 0};
      over_waves.dispatch_bytes += dispatch;
      over_waves.combine_bytes += combine;
      over_waves.flops += received * (shape.l1_flops_per_pair() + shape.l2_flops_per_pair());
    }
  }
  std::int64_t all = 0, remote = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto ranks = static_cast<std::size_t>(shape.ranks);
    all += counts[i];
    if (shape.owner(static_cast<int>(i / ranks)) != static_cast<int>(i % ranks)) remote += counts[i];
  }
  const Totals whole{remote * wire.dispatch_row(shape.hidden), remote * wire.combine_row(shape.hidden),
                     all * 6 * shape.hidden * shape.intermediate};
  if (over_waves != whole) throw std::logic_error("bytes or FLOPs over the waves are not those of the layer");
}

std::vector<std::int64_t> bytes_to_peers(const MoeShape& shape, const WireFormat& wire, const WavePartition& waves,
                                         const std::vector<std::int64_t>& counts, int source, Task task) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(shape.ranks));
  for (int peer = 0; peer < shape.ranks; ++peer) {
    bytes[static_cast<std::size_t>(peer)] =
        task.stage == Stage::kDispatch
            ? pairs(shape, waves, counts, source, peer, task.wave) * wire.dispatch_row(shape.hidden)
            : pairs(shape, waves, counts, peer, source, task.wave) * wire.combine_row(shape.hidden);
  }
  return bytes;
}

}  // namespace moescope::reference

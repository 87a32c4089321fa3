// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/launch_index.h"

#include <algorithm>
#include <tuple>

namespace moescope {

LaunchIndex::LaunchIndex(const Trace& trace, std::size_t first_row) : trace_(trace) {
  const SpanTable& spans = trace.spans;
  for (std::size_t row = first_row; row < spans.size(); ++row) {
    if (spans.correlation[row] <= 0) continue;
    const Track& track = trace.track_of(row);
    if (!track.is_execution()) launches_.push_back({track.rank.value, spans.correlation[row], spans.start[row], row});
  }
  const auto before = [](const Launch& a, const Launch& b) {
    return std::tie(a.rank, a.correlation, a.start, a.row) < std::tie(b.rank, b.correlation, b.start, b.row);
  };
  if (!std::is_sorted(launches_.begin(), launches_.end(), before))
    std::sort(launches_.begin(), launches_.end(), before);
}

std::optional<std::size_t> LaunchIndex::launch_of(std::size_t row) const {
  const std::int64_t correlation = trace_.spans.correlation[row];
  if (correlation <= 0) return std::nullopt;
  const std::int32_t rank = trace_.track_of(row).rank.value;
  const Ns start = trace_.spans.start[row];
  auto next = std::upper_bound(launches_.begin(), launches_.end(), std::tuple(rank, correlation, start),
                               [](const auto& key, const Launch& launch) {
                                 return key < std::tuple(launch.rank, launch.correlation, launch.start);
                               });
  const auto matches = [&](auto launch) {
    return launch != launches_.end() && launch->rank == rank && launch->correlation == correlation;
  };
  if (next != launches_.begin() && matches(std::prev(next))) return std::prev(next)->row;
  if (matches(next)) return next->row;
  return std::nullopt;
}

}  // namespace moescope

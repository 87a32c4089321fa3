// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/launch_index.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/model/parallel.h"

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

namespace {

struct TracksOfRank {
  std::vector<const Track*> host, device;
};

// By correlation id, where a rank's ids lie close together and none repeats; false where not, with nothing done.
bool by_table(const SpanTable& spans, const TracksOfRank& tracks, Column<std::uint32_t>& launches) {
  std::int64_t low = INT64_MAX, high = 0, count = 0;
  const auto each = [&](const std::vector<const Track*>& some, auto take) {
    for (const Track* track : some)
      for (std::size_t row = track->first_row; row < track->first_row + track->rows; ++row)
        if (spans.correlation[row] > 0) take(row, spans.correlation[row]);
  };
  each(tracks.host, [&](std::size_t, std::int64_t correlation) {
    low = std::min(low, correlation);
    high = std::max(high, correlation);
    ++count;
  });
  if (count == 0) return true;
  if (high - low > 4 * count + 1024) return false;
  std::vector<std::uint32_t> table(static_cast<std::size_t>(high - low) + 1, kNoLaunch);
  bool repeats = false;
  each(tracks.host, [&](std::size_t row, std::int64_t correlation) {
    std::uint32_t& slot = table[static_cast<std::size_t>(correlation - low)];
    repeats = repeats || slot != kNoLaunch;
    slot = static_cast<std::uint32_t>(row);
  });
  if (repeats) return false;
  each(tracks.device, [&](std::size_t row, std::int64_t correlation) {
    if (correlation >= low && correlation <= high) launches[row] = table[static_cast<std::size_t>(correlation - low)];
  });
  return true;
}

}  // namespace

Column<std::uint32_t> launch_rows(const Trace& trace) {
  Column<std::uint32_t> launches(trace.spans.size(), kNoLaunch);
  std::map<RankId, TracksOfRank> ranks;
  for (const Track& track : trace.tracks)
    if (track.rows > 0) (track.is_execution() ? ranks[track.rank].device : ranks[track.rank].host).push_back(&track);
  std::vector<const TracksOfRank*> lists;
  for (const auto& [rank, tracks] : ranks)
    if (!tracks.device.empty()) lists.push_back(&tracks);
  std::vector<char> done(lists.size());
  each_in_parallel(lists.size(), trace.spans.size(),
                   [&] { return [&](std::size_t i) { done[i] = by_table(trace.spans, *lists[i], launches); }; });
  if (std::find(done.begin(), done.end(), 0) == done.end()) return launches;
  const LaunchIndex index(trace);
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const Track* track : lists[i]->device)
      for (std::size_t row = track->first_row; !done[i] && row < track->first_row + track->rows; ++row)
        if (const auto launch = index.launch_of(row)) launches[row] = static_cast<std::uint32_t>(*launch);
  return launches;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/device_timeline.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace moescope {

IntervalSet step_spans(const Trace& trace, const Attribution& attribution, const Selection& selection,
                       const DeviceRows& device) {
  std::map<StepId, Interval> hulls;
  const bool in_steps = !device.steps.empty();
  for (const std::size_t row : device.rows) {
    const Interval one = selection.interval(trace, row);
    const auto [hull, fresh] = hulls.try_emplace(in_steps ? attribution.structure.at(row).step : StepId(), one);
    if (!fresh) hull->second = {std::min(hull->second.begin, one.begin), std::max(hull->second.end, one.end)};
  }
  std::vector<Interval> spans;
  for (const auto& [step, hull] : hulls) spans.push_back(hull);
  return IntervalSet::from(std::move(spans));
}

StreamWork::StreamWork(const Trace& trace, const Attribution& attribution, const DeviceRows& device)
    : trace_(trace), attribution_(attribution) {
  const std::vector<std::size_t>& rows = device.rows;  // ascending, and a track's rows are one range
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first;
    while (end < rows.size() && trace.spans.track[rows[end]] == trace.spans.track[rows[first]]) ++end;
    streams_.emplace_back(rows.data() + first, end - first);
    first = end;
  }
}

std::optional<std::size_t> StreamWork::beginning_at(Ns instant, ActivityClass wanted) const {
  for (const auto& stream : streams_) {
    auto row = std::lower_bound(stream.begin(), stream.end(), instant,
                                [&](std::size_t r, Ns t) { return trace_.spans.start[r] < t; });
    for (; row != stream.end() && trace_.spans.start[*row] == instant; ++row)
      if (wanted == ActivityClass::kUnknown || attribution_.activity[*row] == wanted) return *row;
  }
  return std::nullopt;
}

std::optional<std::size_t> StreamWork::before(std::size_t row) const {
  for (const auto& stream : streams_) {
    if (trace_.spans.track[stream.front()] != trace_.spans.track[row]) continue;
    auto at = std::lower_bound(stream.begin(), stream.end(), row);
    while (at != stream.begin())
      if (attribution_.activity[*--at] != ActivityClass::kCopy) return *at;
  }
  return std::nullopt;
}

std::vector<std::optional<std::size_t>> launches_of(const Trace& trace, std::span<const std::size_t> rows) {
  struct Key {
    std::int32_t rank;
    std::int64_t correlation;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>(
          (static_cast<std::uint64_t>(key.correlation) ^ static_cast<std::uint64_t>(key.rank) << 48) *
          0x9e3779b97f4a7c15u);
    }
  };
  const SpanTable& spans = trace.spans;
  std::unordered_multimap<Key, std::size_t, Hash> wanted;  // to the index in rows
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (spans.correlation[rows[i]] != 0)
      wanted.emplace(Key{trace.track_of(rows[i]).rank.value, spans.correlation[rows[i]]}, i);
  std::vector<std::optional<std::size_t>> launches(rows.size());
  if (wanted.empty()) return launches;
  for (const Track& track : trace.tracks) {
    if (track.is_execution()) continue;
    for (std::size_t call = track.first_row; call < track.first_row + track.rows; ++call) {
      if (spans.correlation[call] == 0) continue;
      const auto [first, last] = wanted.equal_range({track.rank.value, spans.correlation[call]});
      for (auto one = first; one != last; ++one) {
        std::optional<std::size_t>& known = launches[one->second];
        const Ns work = spans.start[rows[one->second]];
        const bool in_time = spans.start[call] <= work;
        if (!known || (in_time && (spans.start[*known] > work || spans.start[call] > spans.start[*known])) ||
            (!in_time && spans.start[*known] > work && spans.start[call] < spans.start[*known]))
          known = call;
      }
    }
  }
  return launches;
}

}  // namespace moescope

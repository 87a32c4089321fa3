// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/device_activity.h"

#include <algorithm>
#include <map>
#include <set>

namespace moescope {

std::vector<DeviceKey> devices_with_work(const Trace& trace) {
  std::set<DeviceKey> keys;
  for (const Track& track : trace.tracks)
    if (track.is_execution() && track.rows > 0) keys.insert({track.rank, track.device});
  return {keys.begin(), keys.end()};
}

DeviceActivity device_activity(const Trace& trace, const Attribution& attribution, DeviceKey device,
                               const Scope& scope) {
  // One clock only: no figure mixes clocks.
  std::map<ClockId, std::size_t> rows_by_clock;
  const auto is_its = [&](const Track& track) {
    return track.is_execution() && track.rank == device.rank && track.device == device.device;
  };
  for (const Track& track : trace.tracks)
    if (is_its(track)) rows_by_clock[track.clock] += track.rows;
  ClockId clock;
  std::size_t most = 0;
  for (const auto& [id, rows] : rows_by_clock)
    if (rows > most) most = rows, clock = id;

  std::vector<std::uint32_t> chosen;
  std::vector<std::size_t> runs;
  for (const Track& track : trace.tracks) {
    if (!is_its(track) || track.clock != clock) continue;
    runs.push_back(chosen.size());
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      const Place& place = attribution.structure.at(row);
      if (!scope.layers.all() && !(place.layer.valid() && scope.layers.contains(place.layer.value))) continue;
      if (!scope.steps.all() &&
          !(place.step.valid() && scope.steps.contains(step_number(attribution.structure, device.rank, place.step))))
        continue;
      chosen.push_back(static_cast<std::uint32_t>(row));
    }
  }
  trace.spans.merge_by_start(chosen, std::move(runs));
  Selection selection;
  selection.scope = scope;
  DeviceActivity result;
  result.device = device;
  result.clock = clock;
  for (const std::size_t row : chosen)
    result.add(attribution.activity[row], attribution.part[row], selection.interval(trace, row));
  return result;
}

}  // namespace moescope

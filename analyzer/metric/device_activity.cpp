// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/device_activity.h"

#include <algorithm>
#include <map>
#include <set>

namespace moescope {
namespace {

bool step_in_scope(const Trace& trace, RankId rank, StepId step, const Range& steps) {
  if (steps.all()) return true;
  if (!step.valid()) return false;
  const auto found = std::lower_bound(trace.steps.begin(), trace.steps.end(), std::pair(rank, step),
                                      [](const Step& s, const auto& key) { return std::pair(s.rank, s.step) < key; });
  const bool known = found != trace.steps.end() && found->rank == rank && found->step == step;
  return steps.contains(known ? found->number : step.value);
}

bool in_scope(const Trace& trace, RankId rank, const Context& context, const Scope& scope) {
  if (!scope.layers.all() && !(context.layer.valid() && scope.layers.contains(context.layer.value))) return false;
  return step_in_scope(trace, rank, context.step, scope.steps);
}

}  // namespace

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
  for (const Track& track : trace.tracks)
    if (track.is_execution() && track.rank == device.rank && track.device == device.device)
      rows_by_clock[track.clock] += track.rows;
  DeviceActivity result;
  result.device = device;
  std::size_t most = 0;
  for (const auto& [clock, rows] : rows_by_clock)
    if (rows > most) most = rows, result.clock = clock;

  std::vector<Interval> payload, control, compute, copies;
  for (const Track& track : trace.tracks) {
    if (!track.is_execution() || track.rank != device.rank || track.device != device.device ||
        track.clock != result.clock)
      continue;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      if (!in_scope(trace, track.rank, trace.context_of(row), scope)) continue;
      Interval interval = trace.spans.interval(row);
      if (scope.window) {
        interval.begin = std::max(interval.begin, scope.window->begin);
        interval.end = std::min(interval.end, scope.window->end);
      }
      switch (attribution.activity[row]) {
        case ActivityClass::kCommunication:
          (is_control(attribution.part[row]) ? control : payload).push_back(interval);
          break;
        case ActivityClass::kCompute:
          compute.push_back(interval);
          break;
        case ActivityClass::kCopy:
          copies.push_back(interval);
          break;
        case ActivityClass::kNone:
          break;
      }
    }
  }
  result.payload = IntervalSet::from(std::move(payload));
  result.control = IntervalSet::from(std::move(control));
  result.communication = result.payload.unite(result.control);
  result.compute = IntervalSet::from(std::move(compute));
  result.copies = IntervalSet::from(std::move(copies));
  return result;
}

}  // namespace moescope

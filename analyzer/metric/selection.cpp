// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/selection.h"

#include <algorithm>
#include <map>
#include <set>

namespace moescope {
namespace {

bool in_scope(const Structure& structure, const Track& track, const Place& place, const Scope& scope) {
  if (!scope.layers.all() && !(place.layer.valid() && scope.layers.contains(place.layer.value))) return false;
  if (scope.steps.all()) return true;
  return place.step.valid() && scope.steps.contains(step_number(structure, track.rank, place.step));
}

// The clock that carries most of a device's rows: no figure mixes clocks.
std::map<DeviceKey, ClockId> main_clocks(const Trace& trace, const Scope& scope) {
  std::map<DeviceKey, std::map<ClockId, std::size_t>> rows;
  for (const Track& track : trace.tracks)
    if (track.is_execution() && track.rows > 0 && (scope.ranks.all() || scope.ranks.contains(track.rank.value)))
      rows[{track.rank, track.device}][track.clock] += track.rows;
  std::map<DeviceKey, ClockId> clocks;
  for (const auto& [device, by_clock] : rows)
    clocks[device] = std::max_element(by_clock.begin(), by_clock.end(), [](const auto& a, const auto& b) {
                       return a.second < b.second;
                     })->first;
  return clocks;
}

}  // namespace

const Step* find_step(const Trace& trace, RankId rank, StepId step) {
  const auto found = std::lower_bound(trace.steps.begin(), trace.steps.end(), std::pair(rank, step),
                                      [](const Step& s, const auto& key) { return std::pair(s.rank, s.step) < key; });
  return found != trace.steps.end() && found->rank == rank && found->step == step ? &*found : nullptr;
}

std::int64_t step_number(const Trace& trace, RankId rank, StepId step) {
  const Step* known = find_step(trace, rank, step);
  return known != nullptr ? known->number : step.value;
}

Interval Selection::interval(const Trace& trace, std::size_t row) const {
  Interval interval = trace.spans.interval(row);
  if (scope.window) {
    interval.begin = std::max(interval.begin, scope.window->begin);
    interval.end = std::min(interval.end, scope.window->end);
  }
  return interval;
}

Selection select(const Trace& trace, const Attribution& attribution, const Scope& scope, Per per) {
  Selection selection;
  selection.scope = scope;
  selection.asked = per;
  const auto clocks = main_clocks(trace, scope);
  std::map<DeviceKey, DeviceRows> devices;
  const Structure& structure = attribution.structure;
  // One place stands for many spans: the scope is asked once a place and rank.
  std::map<std::pair<RankId, std::int32_t>, bool> asked;
  bool any_step = false;
  for (const Track& track : trace.tracks) {
    const auto clock = clocks.find({track.rank, track.device});
    if (!track.is_execution() || track.rows == 0 || clock == clocks.end()) continue;
    if (track.clock != clock->second) {
      selection.rows_on_other_clocks += track.rows;
      continue;
    }
    DeviceRows& device = devices[clock->first];
    device.device = clock->first;
    device.clock = clock->second;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      if (attribution.activity[row] == ActivityClass::kNone) continue;
      const auto [known, fresh] = asked.try_emplace({track.rank, structure.place[row]}, false);
      if (fresh) known->second = in_scope(structure, track, structure.at(row), scope);
      if (!known->second || (scope.window && selection.interval(trace, row).empty())) continue;
      any_step = any_step || (per == Per::kStep && structure.at(row).step.valid());
      device.rows.push_back(row);
    }
  }
  selection.per_step = any_step;
  std::set<std::pair<RankId, StepId>> unfinished, finished;
  if (any_step)
    for (const auto& [key, device] : devices)
      for (const std::size_t row : device.rows) {
        const StepId step = structure.at(row).step;
        if (!step.valid()) continue;
        const Step* known = find_step(structure, key.rank, step);
        (known != nullptr && !known->ended ? unfinished : finished).insert({key.rank, step});
      }
  const bool drop_unfinished = !unfinished.empty() && !finished.empty();
  if (drop_unfinished) selection.steps_unfinished = unfinished.size();
  for (auto& [key, device] : devices) {
    if (any_step) {
      std::set<StepId> steps;
      std::erase_if(device.rows, [&, rank = key.rank](std::size_t row) {
        const StepId step = structure.at(row).step;
        if (!step.valid()) {
          ++selection.rows_outside_steps;
          return true;
        }
        if (drop_unfinished && unfinished.contains({rank, step})) return true;
        steps.insert(step);
        return false;
      });
      device.steps.assign(steps.begin(), steps.end());
    }
    if (!device.rows.empty()) selection.devices.push_back(std::move(device));
  }
  return selection;
}

}  // namespace moescope

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

Selection select(const Trace& trace, const Attribution& attribution, const Scope& scope, Per per) {
  Selection selection;
  selection.scope = scope;
  selection.asked = per;
  const auto clocks = main_clocks(trace, scope);
  const Structure& structure = attribution.structure;
  const bool everything = scope.layers.all() && scope.steps.all();
  struct Gathered {
    DeviceRows rows;
    std::vector<std::size_t> runs;  // where each track's rows begin
    std::vector<StepId> steps;      // in the order met, those next to each other once
    std::size_t outside = 0;        // rows of no step
  };
  std::map<DeviceKey, Gathered> devices;
  for (const Track& track : trace.tracks) {
    const auto clock = clocks.find({track.rank, track.device});
    if (!track.is_execution() || track.rows == 0 || clock == clocks.end()) continue;
    if (track.clock != clock->second) {
      selection.rows_on_other_clocks += track.rows;
      continue;
    }
    Gathered& device = devices[clock->first];
    device.rows.device = clock->first;
    device.rows.clock = clock->second;
    device.runs.push_back(device.rows.rows.size());
    // Neighbours mostly share their place: what it means is worked out where it changes.
    std::int32_t last = -1;
    bool wanted = true, in_step = false, noted = false;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      if (attribution.activity[row] == ActivityClass::kNone) continue;
      if (structure.place[row] != last) {
        last = structure.place[row];
        const Place& place = structure.at(row);
        wanted = everything || in_scope(structure, track, place, scope);
        in_step = place.step.valid();
        noted = !in_step || (!device.steps.empty() && device.steps.back() == place.step);
      }
      if (!wanted || (scope.window && selection.interval(trace, row).empty())) continue;
      device.rows.rows.push_back(row);
      device.outside += !in_step;
      if (!noted) device.steps.push_back(structure.at(row).step), noted = true;
    }
  }
  bool any_step = false;
  for (auto& [key, device] : devices) {
    std::sort(device.steps.begin(), device.steps.end());
    device.steps.erase(std::unique(device.steps.begin(), device.steps.end()), device.steps.end());
    any_step = any_step || (per == Per::kStep && device.rows.rows.size() > device.outside);
  }
  selection.per_step = any_step;
  std::set<std::pair<RankId, StepId>> unfinished, finished;
  if (any_step)
    for (const auto& [key, device] : devices)
      for (const StepId step : device.steps) {
        const Step* known = find_step(structure, key.rank, step);
        (known != nullptr && !known->ended ? unfinished : finished).insert({key.rank, step});
      }
  const bool drop_unfinished = !unfinished.empty() && !finished.empty();
  if (drop_unfinished) selection.steps_unfinished = unfinished.size();
  for (auto& [key, device] : devices) {
    std::vector<std::size_t>& rows = device.rows.rows;
    trace.spans.merge_by_start(rows, device.runs);
    if (any_step) {
      const auto dropped = [&, rank = key.rank](StepId step) {
        return drop_unfinished && unfinished.contains({rank, step});
      };
      if (device.outside > 0 || drop_unfinished) {
        std::int32_t last = -1;
        bool drop = false;
        std::erase_if(rows, [&](std::size_t row) {
          if (structure.place[row] != last) {
            last = structure.place[row];
            const StepId step = structure.at(row).step;
            drop = !step.valid() || dropped(step);
          }
          return drop;
        });
        selection.rows_outside_steps += device.outside;
      }
      std::erase_if(device.steps, dropped);
      device.rows.steps = std::move(device.steps);
    }
    if (!rows.empty()) selection.devices.push_back(std::move(device.rows));
  }
  return selection;
}

}  // namespace moescope

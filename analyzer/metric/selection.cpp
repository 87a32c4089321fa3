// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/selection.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/model/parallel.h"

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

struct Gathered {
  DeviceRows rows;
  std::vector<std::size_t> runs;  // where each track's rows begin
  std::vector<StepId> steps;      // that the rows belong to
  std::size_t outside = 0;        // rows of no step
};

void gather(const Trace& trace, const Structure& structure, const Attribution& attribution, const Selection& selection,
            const std::vector<const Track*>& tracks, Gathered& device) {
  const Scope& scope = selection.scope;
  const bool everything = scope.layers.all() && scope.steps.all();
  for (const Track* track : tracks) {
    device.runs.push_back(device.rows.rows.size());
    // Neighbours mostly share their place: what it means is worked out where it changes.
    std::int32_t last = -1;
    bool wanted = true, in_step = false, noted = false;
    for (std::size_t row = track->first_row; row < track->first_row + track->rows; ++row) {
      if (attribution.activity[row] == ActivityClass::kNone) continue;
      if (structure.place[row] != last) {
        last = structure.place[row];
        const Place& place = structure.at(row);
        wanted = everything || in_scope(structure, *track, place, scope);
        in_step = place.step.valid();
        noted = !in_step || (!device.steps.empty() && device.steps.back() == place.step);
      }
      if (!wanted || (scope.window && selection.interval(trace, row).empty())) continue;
      device.rows.rows.push_back(static_cast<std::uint32_t>(row));
      device.outside += !in_step;
      if (!noted) device.steps.push_back(structure.at(row).step), noted = true;
    }
  }
  std::sort(device.steps.begin(), device.steps.end());
  device.steps.erase(std::unique(device.steps.begin(), device.steps.end()), device.steps.end());
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
  std::map<DeviceKey, std::vector<const Track*>> tracks;
  for (const Track& track : trace.tracks) {
    const auto clock = clocks.find({track.rank, track.device});
    if (!track.is_execution() || track.rows == 0 || clock == clocks.end()) continue;
    if (track.clock == clock->second)
      tracks[clock->first].push_back(&track);
    else
      selection.rows_on_other_clocks += track.rows;
  }
  std::vector<Gathered> devices;
  std::vector<const std::vector<const Track*>*> lists;
  for (const auto& [key, its] : tracks) {
    devices.emplace_back().rows.device = key;
    devices.back().rows.clock = clocks.at(key);
    lists.push_back(&its);
  }
  each_in_parallel(devices.size(), trace.spans.size(), [&] {
    return [&](std::size_t i) { gather(trace, structure, attribution, selection, *lists[i], devices[i]); };
  });
  bool any_step = false;
  for (const Gathered& device : devices)
    any_step = any_step || (per == Per::kStep && device.rows.rows.size() > device.outside);
  selection.per_step = any_step;
  std::set<std::pair<RankId, StepId>> unfinished, finished;
  if (any_step)
    for (const Gathered& device : devices)
      for (const StepId step : device.steps) {
        const RankId rank = device.rows.device.rank;
        const Step* known = find_step(structure, rank, step);
        (known != nullptr && !known->ended ? unfinished : finished).insert({rank, step});
      }
  const bool drop_unfinished = !unfinished.empty() && !finished.empty();
  if (drop_unfinished) selection.steps_unfinished = unfinished.size();
  each_in_parallel(devices.size(), trace.spans.size(), [&] {
    return [&](std::size_t i) {
      Gathered& device = devices[i];
      std::vector<std::uint32_t>& rows = device.rows.rows;
      trace.spans.merge_by_start(rows, device.runs);
      if (!any_step) return;
      const auto dropped = [&, rank = device.rows.device.rank](StepId step) {
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
      }
      std::erase_if(device.steps, dropped);
      device.rows.steps = std::move(device.steps);
    };
  });
  for (Gathered& device : devices) {
    if (any_step) selection.rows_outside_steps += device.outside;
    if (!device.rows.rows.empty()) selection.devices.push_back(std::move(device.rows));
  }
  return selection;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/comm_rows.h"

#include <map>

namespace moescope {
namespace {

constexpr StageSet kExpertStages = StageSet(Stage::kL1) | Stage::kACT | Stage::kL2;

using Groups = std::map<std::int32_t, std::vector<std::size_t>>;

CommCell cell_of(const Trace& trace, const Attribution& attribution, const Selection& selection,
                 const std::vector<std::size_t>& rows, const IntervalSet& hiding, Definition definition) {
  std::vector<Interval> expert;
  for (const std::size_t row : rows)
    if (kExpertStages.contains(attribution.role[row])) expert.push_back(selection.interval(trace, row));
  return {exposure(trace, attribution, selection, rows, hiding, definition),
          IntervalSet::from(std::move(expert)).measure()};
}

}  // namespace

CommRows comm_rows(const Trace& trace, const Attribution& attribution, const Selection& selection,
                   Definition definition) {
  const std::size_t devices = selection.devices.size();
  std::map<std::int32_t, std::vector<std::optional<CommCell>>> passes, waves;
  for (std::size_t device = 0; device < devices; ++device) {
    const DeviceRows& chosen = selection.devices[device];
    Groups by_pass, by_wave;
    for (const std::size_t row : chosen.rows) {
      const bool counts =
          attribution.activity[row] == ActivityClass::kCommunication || kExpertStages.contains(attribution.role[row]);
      if (!counts) continue;
      if (attribution.pass[row] != Pass::kUNKNOWN)
        by_pass[static_cast<std::int32_t>(attribution.pass[row])].push_back(row);
      const WaveId wave = attribution.structure.at(row).wave;
      if (wave.valid()) by_wave[wave.value].push_back(row);
    }
    if (by_pass.empty() && by_wave.empty()) continue;
    const IntervalSet hiding = hiders(device_activity(trace, attribution, selection, chosen.rows), definition);
    const auto fill = [&](const Groups& groups, auto& table) {
      for (const auto& [key, rows] : groups) {
        table[key].resize(devices);
        table[key][device] = cell_of(trace, attribution, selection, rows, hiding, definition);
      }
    };
    fill(by_pass, passes);
    fill(by_wave, waves);
  }
  CommRows result;
  for (auto& [pass, cells] : passes) result.passes.push_back({static_cast<Pass>(pass), std::move(cells)});
  for (auto& [wave, cells] : waves) result.waves.push_back({WaveId(wave), std::move(cells)});
  return result;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/step_table.h"

#include <map>
#include <tuple>

namespace moescope {

std::vector<StepRow> step_table(const Trace& trace, const Attribution& attribution, const Selection& selection,
                                Definition definition) {
  if (!selection.per_step) return {};
  std::map<std::tuple<int, std::int64_t>, StepRow> rows;  // (how often the number was seen before, number)
  for (std::size_t device = 0; device < selection.devices.size(); ++device) {
    const DeviceRows& chosen = selection.devices[device];
    const RankId rank = chosen.device.rank;
    const DeviceActivity whole = device_activity(trace, attribution, selection, chosen.rows);
    const IntervalSet hiding = hiders(whole, definition);
    std::map<StepId, std::vector<std::size_t>> groups;
    for (const std::size_t row : chosen.rows) groups[attribution.structure.at(row).step].push_back(row);
    std::map<std::int64_t, int> seen;
    for (const auto& [step, members] : groups) {
      const std::int64_t number = step_number(attribution.structure, rank, step);
      StepRow& row = rows[{seen[number]++, number}];
      row.number = number;
      row.cells.resize(selection.devices.size());
      StepCell cell;
      if (const Step* known = find_step(attribution.structure, rank, step); known != nullptr) {
        row.kind = known->kind;
        if (known->ended && !known->window.empty()) cell.duration = known->window.length();
      }
      cell.compute = device_activity(trace, attribution, selection, members).compute.measure();
      cell.exposure = exposure(trace, attribution, selection, members, hiding, definition);
      cell.stages = stage_parts(trace, attribution, selection, members, hiding, definition);
      row.cells[device] = std::move(cell);
    }
  }
  std::vector<StepRow> table;
  for (auto& [key, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace moescope

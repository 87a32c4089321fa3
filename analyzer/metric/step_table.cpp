// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/step_table.h"

#include <map>
#include <tuple>

namespace moescope {

std::vector<StepCell> StepSums::cells(Definition definition) const {
  std::vector<StepCell> cells;
  cells.reserve(sums_.size());
  for (const Sum& sum : sums_) {
    StepCell& cell = cells.emplace_back();
    cell.compute = sum.compute.length();
    cell.exposure = sum.exposure.exposure(definition);
    cell.stages = sum.stages.parts(definition);
  }
  return cells;
}

std::vector<StepRow> step_table(const Work& work, std::vector<std::vector<StepCell>> devices) {
  if (!work.selection.per_step) return {};
  const Structure& structure = work.attribution.structure;
  std::map<std::tuple<int, std::int64_t>, StepRow> rows;  // (how often the number was seen before, number)
  for (std::size_t device = 0; device < devices.size(); ++device) {
    const DeviceRows& chosen = work.selection.devices[device];
    const RankId rank = chosen.device.rank;
    std::map<std::int64_t, int> seen;
    for (std::size_t i = 0; i < chosen.steps.size(); ++i) {
      const StepId step = chosen.steps[i];
      const std::int64_t number = step_number(structure, rank, step);
      StepRow& row = rows[{seen[number]++, number}];
      row.number = number;
      row.cells.resize(devices.size());
      StepCell& cell = devices[device][i];
      if (const Step* known = find_step(structure, rank, step); known != nullptr) {
        row.kind = known->kind;
        if (known->ended && !known->window.empty()) cell.duration = known->window.length();
      }
      row.cells[device] = std::move(cell);
    }
  }
  std::vector<StepRow> table;
  for (auto& [key, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace moescope

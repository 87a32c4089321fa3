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

std::vector<StagePart> sum_of_steps(const std::vector<StepCell>& steps) {
  std::map<std::pair<Pass, Stage>, StagePart> sums;
  for (const StepCell& step : steps)
    for (const StagePart& part : step.stages) {
      StagePart& sum = sums.try_emplace({part.pass, part.stage}, StagePart{part.stage, part.pass, {}}).first->second;
      StageCell& cell = sum.cell;
      cell.count += part.cell.count;
      cell.time += part.cell.time;
      cell.communication = cell.communication || part.cell.communication;
      cell.exposure.comm += part.cell.exposure.comm;
      cell.exposure.exposed += part.cell.exposure.exposed;
      cell.exposure.weighed_comm += part.cell.exposure.weighed_comm;
      cell.exposure.weighed_exposed += part.cell.exposure.weighed_exposed;
      cell.bytes += part.cell.bytes;
      cell.flops += part.cell.flops;
      cell.payload_spans += part.cell.payload_spans;
      cell.with_bytes += part.cell.with_bytes;
      cell.with_flops += part.cell.with_flops;
    }
  std::vector<StagePart> parts;
  for (const auto& [key, sum] : sums) parts.push_back(sum);
  return parts;
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

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/step_table.h"

#include <map>
#include <tuple>

namespace moescope {
namespace {

struct Sum {
  UnionLength compute;
  ExposureSum exposure;
  StageSums stages;
};

}  // namespace

std::vector<StepRow> step_table(const Work& work) {
  if (!work.selection.per_step) return {};
  const Structure& structure = work.attribution.structure;
  std::map<std::tuple<int, std::int64_t>, StepRow> rows;  // (how often the number was seen before, number)
  for (std::size_t device = 0; device < work.devices.size(); ++device) {
    const DeviceRows& chosen = *work.devices[device].chosen;
    const RankId rank = chosen.device.rank;
    StepNumbers numbers(chosen);
    std::vector<Sum> sums(numbers.count());
    work.devices[device].each_row([&](std::size_t row, const HiddenSpan* span) {
      Sum& sum = sums[numbers.of(structure.at(row).step)];
      if (work.attribution.activity[row] == ActivityClass::kCompute)
        sum.compute.add(work.selection.interval(work.trace, row));
      if (span != nullptr) sum.exposure.add(*span);
      sum.stages.add(work, row, span);
    });
    std::map<std::int64_t, int> seen;
    for (std::size_t i = 0; i < chosen.steps.size(); ++i) {
      const StepId step = chosen.steps[i];
      const std::int64_t number = step_number(structure, rank, step);
      StepRow& row = rows[{seen[number]++, number}];
      row.number = number;
      row.cells.resize(work.devices.size());
      StepCell cell;
      if (const Step* known = find_step(structure, rank, step); known != nullptr) {
        row.kind = known->kind;
        if (known->ended && !known->window.empty()) cell.duration = known->window.length();
      }
      cell.compute = sums[i].compute.length();
      cell.exposure = sums[i].exposure.exposure(work.definition);
      cell.stages = sums[i].stages.parts(work.definition);
      row.cells[device] = std::move(cell);
    }
  }
  std::vector<StepRow> table;
  for (auto& [key, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace moescope

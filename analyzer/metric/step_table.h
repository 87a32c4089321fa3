#pragma once
// SPDX-License-Identifier: Apache-2.0
// One step at a time: how long it took on each rank, and what of it was communication. The gate's raw material.

#include <optional>
#include <vector>

#include "analyzer/metric/stage_table.h"

namespace moescope {

struct StepCell {
  std::optional<Ns> duration;  // the step's window on its clock; absent where its bounds weren't recorded
  Ns compute = 0;
  Exposure exposure;
  std::vector<StagePart> stages;
};
struct StepRow {
  std::int64_t number = -1;  // the user's
  StepKind kind = StepKind::kUNKNOWN;
  std::vector<std::optional<StepCell>> cells;  // as Selection::devices
};
// One device's.
class StepSums {
 public:
  explicit StepSums(const DeviceWork& device)
      : sums_(device.work.selection.per_step ? device.chosen->steps.size() : 0) {}
  void add(const SpanTable& spans, const WorkRow& row) {
    if (sums_.empty()) return;
    Sum& sum = sums_[row.step];
    if (row.activity == ActivityClass::kCompute) sum.compute.add(row.interval);
    if (row.hidden != nullptr) sum.exposure.add(*row.hidden);
    sum.stages.add(spans, row);
  }
  std::vector<StepCell> cells(Definition definition) const;  // as DeviceRows::steps, without durations

 private:
  struct Sum {
    UnionLength compute;
    ExposureSum exposure;
    StageSums stages;
  };
  std::vector<Sum> sums_;
};

// What the stages are in all steps together, where no two of these run at once.
std::vector<StagePart> sum_of_steps(const std::vector<StepCell>& steps);

// In the order of the steps. Ranks are matched by number; a number that comes again on a rank is a new row.
std::vector<StepRow> step_table(const Work& work, std::vector<std::vector<StepCell>> devices);

}  // namespace moescope

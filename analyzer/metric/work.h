#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every family of figures on timelines is made from, worked out once: each device's chosen work in the order of
// time, its activity, and its communication with what hides it. Read-only afterwards, from any number of threads.

#include <vector>

#include "analyzer/metric/device_activity.h"
#include "analyzer/metric/span_sum.h"

namespace moescope {

struct DeviceWork {
  const DeviceRows* chosen = nullptr;  // in the selection
  DeviceActivity activity;
  std::vector<HiddenSpan> communication;  // ascending by begin
  IntervalSet step_spans;                 // first start to last end of each step's work, of all work without steps

  // take(row, its HiddenSpan or null where it is no communication), in the order of time.
  template <class Take>
  void each_row(Take take) const {
    const HiddenSpan* next = communication.data();
    const HiddenSpan* const end = next + communication.size();
    for (const std::size_t row : chosen->rows) take(row, next != end && next->row == row ? next++ : nullptr);
  }
};

struct Work {
  const Trace& trace;
  const Attribution& attribution;
  const Selection& selection;
  Definition definition;
  std::vector<DeviceWork> devices;  // as Selection::devices
};
// What it is made of must outlive it.
Work work_of(const Trace& trace, const Attribution& attribution, const Selection& selection, Definition definition);

// Numbers for the steps of a device's rows. What is asked for was mostly asked for before.
class StepNumbers {
 public:
  explicit StepNumbers(const DeviceRows& device) : steps_(device.steps) {}
  std::size_t count() const { return steps_.empty() ? 1 : steps_.size(); }
  // The index into DeviceRows::steps; 0 where there are no steps.
  std::size_t of(StepId step) {
    if (steps_.empty() || steps_[last_] == step) return last_;
    return last_ = find(step);
  }

 private:
  std::size_t find(StepId step) const;
  const std::vector<StepId>& steps_;
  std::size_t last_ = 0;
};

}  // namespace moescope

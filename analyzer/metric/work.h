#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every family of figures on timelines is made from: one device's chosen work in the order of time, row by row
// with its meaning, its activity, and its communication with what hides it. A family is a sum that takes a row at a
// time, so that one walk over a device feeds them all.

#include <vector>

#include "analyzer/metric/device_activity.h"
#include "analyzer/metric/span_sum.h"

namespace moescope {

// What all devices share. The parts it is made of must outlive it.
struct Work {
  const Trace& trace;
  const Attribution& attribution;
  const Selection& selection;
  Definition definition;
  // One a place (Structure::places): equal where step, layer and micro-batch are; -1 where no layer is known.
  std::vector<std::int32_t> instance_of_place;
  std::size_t instances = 0;  // one above the largest
};
Work work_of(const Trace& trace, const Attribution& attribution, const Selection& selection, Definition definition);

struct WorkRow {
  std::size_t row = 0;  // of Trace::spans
  Interval interval;    // within the scope's window
  ActivityClass activity = ActivityClass::kNone;
  Stage stage = Stage::kUNATTRIBUTED, role = Stage::kUNATTRIBUTED;
  Pass pass = Pass::kUNKNOWN;
  bool control = false;           // its part moves no payload
  std::int32_t place_number = 0;  // in Structure::places
  const Place* place = nullptr;
  std::size_t step = 0;                // index into DeviceRows::steps; 0 where there are none
  std::size_t kind = 0;                // of its pass and stage: numbered from 0 as the device's rows come
  const HiddenSpan* hidden = nullptr;  // of communication, else null
};

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

class DeviceWork {
 public:
  explicit DeviceWork(const Work& all) : work(all) {}
  // In place of the device before, whose room it takes over.
  void load(std::size_t device);  // index into Selection::devices

  const Work& work;
  std::size_t index = 0;
  const DeviceRows* chosen = nullptr;  // null: nothing was loaded
  DeviceActivity activity;
  std::vector<HiddenSpan> communication;  // ascending by begin
  IntervalSet step_spans;                 // first start to last end of each step's work, of all work without steps
  Ns fused = 0;  // time of kernels that compute and move tokens at once, which count as compute
  std::size_t fused_spans = 0;

  // take(WorkRow), in the order of time.
  template <class Take>
  void each_row(Take take) const {
    const Attribution& attribution = work.attribution;
    const HiddenSpan* next = communication.data();
    const HiddenSpan* const end = next + communication.size();
    StepNumbers steps(*chosen);
    std::int16_t kinds[MOESCOPE_PASS_COUNT][kStageCount];
    for (auto& of_pass : kinds)
      for (std::int16_t& kind : of_pass) kind = -1;
    std::int16_t count = 0;
    WorkRow one;
    for (const std::size_t row : chosen->rows) {
      one.row = row;
      one.hidden = next != end && next->row == row ? next++ : nullptr;
      one.interval = one.hidden != nullptr ? one.hidden->interval : work.selection.interval(work.trace, row);
      one.activity = attribution.activity[row];
      one.stage = attribution.stage[row];
      one.role = attribution.role[row];
      one.pass = attribution.pass[row];
      one.control = is_control(attribution.part[row]);
      one.place_number = attribution.structure.place[row];
      one.place = &attribution.structure.places[static_cast<std::size_t>(one.place_number)];
      one.step = steps.of(one.place->step);
      std::int16_t& kind = kinds[static_cast<std::size_t>(one.pass)][static_cast<std::size_t>(one.stage)];
      if (kind < 0) kind = count++;
      one.kind = static_cast<std::size_t>(kind);
      take(static_cast<const WorkRow&>(one));
    }
  }
};

}  // namespace moescope

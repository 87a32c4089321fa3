#pragma once
// SPDX-License-Identifier: Apache-2.0
// What one device did, as interval sets by class (README.md, "Classes of activity"). Every overlap figure, and the
// hatching of exposed communication in the Gantt, comes from here.

#include <span>
#include <vector>

#include "analyzer/metric/selection.h"
#include "analyzer/model/interval_set.h"
#include "analyzer/model/scope.h"
#include "analyzer/model/trace.h"
#include "analyzer/model/union_length.h"
#include "analyzer/stage/attribution.h"

namespace moescope {

struct DeviceActivity {
  DeviceKey device;
  ClockId clock;              // all intervals are on it
  IntervalSet communication;  // payload and control
  IntervalSet control;
  IntervalSet compute, copies;
  IntervalSet unknown;                                         // work whose content was not recorded
  IntervalSet busy;                                            // all of them
  Ns communication_time = 0, compute_time = 0, busy_time = 0;  // their lengths
  UnionLength payload;                                         // of communication that moves payload
  // Work that begins no earlier than any before.
  void add(ActivityClass what, Part part, Interval interval) {
    switch (what) {
      case ActivityClass::kCommunication:
        if (is_control(part))
          control.extend(interval);
        else
          payload.add(interval);
        communication_time += communication.extend(interval);
        break;
      case ActivityClass::kCompute:
        compute_time += compute.extend(interval);
        break;
      case ActivityClass::kCopy:
        copies.extend(interval);
        break;
      case ActivityClass::kUnknown:
        unknown.extend(interval);
        break;
      case ActivityClass::kNone:
        return;
    }
    busy_time += busy.extend(interval);
  }
  IntervalSet exposed() const { return communication.subtract(compute); }
};

// The devices that have execution tracks, ascending.
std::vector<DeviceKey> devices_with_work(const Trace& trace);
// Work of one device within a scope (ranks are not looked at). Where a device's tracks lie on several clocks, the clock
// with most work is taken and the rest left out.
DeviceActivity device_activity(const Trace& trace, const Attribution& attribution, DeviceKey device,
                               const Scope& scope);

}  // namespace moescope

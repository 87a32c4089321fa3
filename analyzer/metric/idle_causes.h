#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why a device had nothing to do. Each instant of its gaps has one cause, the first that applies; they sum to its idle
// time. What ends a gap, the next work, decides.

#include "analyzer/metric/device_timeline.h"
#include "analyzer/metric/split_phases.h"
#include "analyzer/model/answer.h"

namespace moescope {

struct IdleCauses {
  Ns launch_starved = 0;  // the next work's launch began after the gap had: until the call's end and kLaunchLatency
  Ns waiting_comm = 0;    // a transfer that was launched in two halves is in flight, and nothing else could run
  Ns dependency = 0;      // the next work was launched in time and waited for other work, an event or a flag
  Ns other = 0;           // the next work's launch is not in the record
  Ns total() const { return launch_starved + waiting_comm + dependency + other; }
};
inline constexpr Ns kLaunchLatency = 2'000;  // ns from the end of a launch call to the work it starts, at most

// Abstains where no work has a launch in the record, or all that is known of some work is
// the launch of a whole graph.
Answer<IdleCauses> idle_causes(const DeviceWork& device, const SplitPhases& split);

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/blocking_comm.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace moescope {

Answer<Ns> blocking_comm(const DeviceWork& device, const IntervalSet& in_flight) {
  const DeviceActivity& activity = device.activity;
  const Attribution& attribution = device.work.attribution;
  Ns exposed = 0;
  activity.communication.each_without(activity.compute, [&exposed](Interval one) { exposed += one.length(); });
  if (exposed == 0) return Ns{0};
  struct Behind {
    Interval gap;
    std::size_t compute;
    Ns comm_end;
  };
  std::vector<Behind> behind;
  Ns resolved = 0;  // exposed, in gaps whose next compute is known, with what stands before it in its stream
  WorkBehind computes(device, ActivityClass::kCompute);
  device.step_spans.each_without(activity.compute, [&](Interval gap) {
    const auto compute = computes.of(gap);
    if (!compute) return;
    // Communication directly before it; a run of several counts by its latest end.
    Ns comm_end = gap.begin;
    for (auto row = work_before(device.work, *compute);
         row && attribution.activity[*row] == ActivityClass::kCommunication; row = work_before(device.work, *row)) {
      const Ns end = device.work.trace.spans.end(*row);
      comm_end = std::max(comm_end, end);
      if (end <= gap.begin) break;
    }
    if (comm_end <= gap.begin) return;
    behind.push_back({gap, *compute, comm_end});
    resolved += activity.communication.measure_within({gap.begin, std::min(gap.end, comm_end)});
  });
  const double share = static_cast<double>(exposed - resolved) / static_cast<double>(exposed);
  if (share > kMostUnresolved)
    return Abstained{std::to_string(std::llround(100 * share)) +
                     " % of exposed communication is on other streams than the compute behind it, and which event that "
                     "waited for is not in the record; exposed time is the upper bound"};
  const IntervalSet waited_for = in_flight.empty() ? IntervalSet() : activity.communication.unite(in_flight);
  const IntervalSet& what = in_flight.empty() ? activity.communication : waited_for;
  Ns blocking = 0;
  for (const Behind& one : behind) {
    const std::uint32_t launch = attribution.launch[one.compute];
    if (launch == kNoLaunch)
      return Abstained{"when compute was launched is not in the record; exposed time is the upper bound"};
    blocking += what.measure_within(
        {std::max(one.gap.begin, device.work.trace.spans.end(launch)), std::min(one.gap.end, one.comm_end)});
  }
  return blocking;
}

}  // namespace moescope

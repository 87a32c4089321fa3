// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/idle_causes.h"

#include <algorithm>

namespace moescope {

Answer<IdleCauses> idle_causes(const DeviceWork& device, const SplitPhases& split) {
  const SpanTable& spans = device.work.trace.spans;
  const Column<std::uint32_t>& launches = device.work.attribution.launch;
  WorkBehind behind(device);
  IdleCauses causes;
  bool any = false, idle = false;
  device.step_spans.each_without(device.activity.busy, [&](Interval gap) {
    idle = true;
    const auto next = behind.of(gap);
    const std::uint32_t launch = next ? launches[*next] : kNoLaunch;
    Ns* cause = &causes.other;
    if (launch != kNoLaunch) {
      any = true;
      cause = &causes.dependency;
      if (spans.start[launch] >= gap.begin) {
        const Ns until = std::min(gap.end, spans.end(launch) + kLaunchLatency);
        causes.launch_starved += until - gap.begin;
        gap.begin = until;
      }
    }
    // What is left of it after the launch, in flight or not.
    const Ns flying = split.in_flight.empty() ? 0 : split.in_flight.measure_within(gap);
    causes.waiting_comm += flying;
    *cause += gap.length() - flying;
  });
  const std::vector<std::uint32_t>& rows = device.chosen->rows;
  if (!any && idle &&
      std::none_of(rows.begin(), rows.end(), [&](std::size_t row) { return launches[row] != kNoLaunch; }))
    return Abstained{"launch calls are not in the record: it has the device's side only"};
  return causes;
}

}  // namespace moescope

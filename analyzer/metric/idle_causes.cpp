// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/idle_causes.h"

#include <algorithm>

namespace moescope {

Answer<IdleCauses> idle_causes(const DeviceWork& device, const IntervalSet& gaps, const SplitPhases& split) {
  const std::vector<Interval>& all = gaps.intervals();
  const SpanTable& spans = device.work.trace.spans;
  const std::vector<std::uint32_t>& launches = device.work.attribution.launch;
  const auto behind = work_behind(device, gaps);
  const auto launched = [&](std::size_t row) { return launches[row] != kNoLaunch; };
  const bool any =
      std::any_of(behind.begin(), behind.end(), [&](const auto& row) { return row.has_value() && launched(*row); });
  const std::vector<std::size_t>& rows = device.chosen.rows;
  if (!any && !all.empty() && std::none_of(rows.begin(), rows.end(), launched))
    return Abstained{"launch calls are not in the record: it has the device's side only"};
  IdleCauses causes;
  IntervalSet in_time, unknown;  // what is left of each gap after its launch, by what is known of it
  for (std::size_t i = 0; i < all.size(); ++i) {
    Interval gap = all[i];
    if (!behind[i] || !launched(*behind[i])) {
      unknown.extend(gap);
      continue;
    }
    const std::size_t launch = launches[*behind[i]];
    if (spans.start[launch] >= gap.begin) {
      const Ns until = std::min(gap.end, spans.end(launch) + kLaunchLatency);
      causes.launch_starved += until - gap.begin;
      gap.begin = until;
    }
    in_time.extend(gap);
  }
  for (const auto& [left, cause] : {std::pair(&in_time, &causes.dependency), std::pair(&unknown, &causes.other)}) {
    const Ns flying = left->intersect(split.in_flight).measure();
    causes.waiting_comm += flying;
    *cause += left->measure() - flying;
  }
  return causes;
}

}  // namespace moescope

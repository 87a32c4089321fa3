// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/idle_causes.h"

#include <algorithm>

namespace moescope {

Answer<IdleCauses> idle_causes(const Trace& trace, const StreamWork& work, const IntervalSet& gaps,
                               const SplitPhases& split, const DeviceRows& device) {
  const std::vector<Interval>& all = gaps.intervals();
  std::vector<std::size_t> next;   // the work that ends each gap that is ended by work
  std::vector<std::size_t> where;  // its gap
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const auto row = work.beginning_at(all[i].end)) {
      next.push_back(*row);
      where.push_back(i);
    }
  }
  const auto launches = launches_of(trace, next);
  const bool any = std::any_of(launches.begin(), launches.end(), [](const auto& launch) { return launch.has_value(); });
  if (!any && !all.empty()) {
    const auto of_all = launches_of(trace, device.rows);
    if (std::none_of(of_all.begin(), of_all.end(), [](const auto& launch) { return launch.has_value(); }))
      return Abstained{"launch calls are not in the record: it has the device's side only"};
  }
  IdleCauses causes;
  std::vector<Interval> in_time, unknown;  // what is left of each gap after its launch, by what is known of it
  std::size_t known = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Interval gap = all[i];
    std::optional<std::size_t> launch;
    if (known < where.size() && where[known] == i) launch = launches[known++];
    if (!launch) {
      unknown.push_back(gap);
      continue;
    }
    if (trace.spans.start[*launch] >= gap.begin) {
      const Ns until = std::min(gap.end, trace.spans.end(*launch) + kLaunchLatency);
      causes.launch_starved += until - gap.begin;
      gap.begin = until;
    }
    if (!gap.empty()) in_time.push_back(gap);
  }
  for (const auto& [rest, cause] : {std::pair(&in_time, &causes.dependency), std::pair(&unknown, &causes.other)}) {
    const IntervalSet left = IntervalSet::from(*rest);
    const Ns flying = left.intersect(split.in_flight).measure();
    causes.waiting_comm += flying;
    *cause += left.measure() - flying;
  }
  return causes;
}

}  // namespace moescope

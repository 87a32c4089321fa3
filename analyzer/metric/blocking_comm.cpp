// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/blocking_comm.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace moescope {

Answer<Ns> blocking_comm(const Trace& trace, const Attribution& attribution, const Selection& selection,
                         const DeviceActivity& activity, const IntervalSet& spans, const IntervalSet& in_flight,
                         const StreamWork& work) {
  const IntervalSet exposed = activity.exposed();
  if (exposed.empty()) return Ns{0};
  const IntervalSet gaps = spans.subtract(activity.compute);
  struct Behind {
    Interval gap;
    std::size_t compute;
    Ns comm_end;
  };
  std::vector<Behind> behind;
  std::vector<std::size_t> computes;
  std::vector<Interval> resolved;  // gaps whose next compute is known, with what stands before it in its stream
  for (const Interval& gap : gaps.intervals()) {
    const auto next = work.beginning_at(gap.end, ActivityClass::kCompute);
    if (!next) continue;
    // Communication directly before it; a run of several counts by its latest end.
    Ns comm_end = gap.begin;
    for (auto row = work.before(*next); row && attribution.activity[*row] == ActivityClass::kCommunication;
         row = work.before(*row)) {
      const Interval one = selection.interval(trace, *row);
      comm_end = std::max(comm_end, one.end);
      if (one.end <= gap.begin) break;
    }
    if (comm_end <= gap.begin) continue;
    behind.push_back({gap, *next, comm_end});
    computes.push_back(*next);
    resolved.push_back({gap.begin, std::min(gap.end, comm_end)});
  }
  const Ns left = exposed.subtract(IntervalSet::from(std::move(resolved))).measure();
  const double share = static_cast<double>(left) / static_cast<double>(exposed.measure());
  if (share > kMostUnresolved)
    return Abstained{std::to_string(std::llround(100 * share)) +
                     " % of exposed communication is on other streams than the compute behind it, and which event that "
                     "waited for is not in the record; exposed time is the upper bound"};
  const auto launches = launches_of(trace, computes);
  std::vector<Interval> blocking;
  for (std::size_t i = 0; i < behind.size(); ++i) {
    if (!launches[i])
      return Abstained{"when compute was launched is not in the record; exposed time is the upper bound"};
    const Behind& one = behind[i];
    const Interval waited{std::max(one.gap.begin, trace.spans.end(*launches[i])), std::min(one.gap.end, one.comm_end)};
    if (!waited.empty() && waited.end > waited.begin) blocking.push_back(waited);
  }
  return IntervalSet::from(std::move(blocking)).intersect(activity.communication.unite(in_flight)).measure();
}

}  // namespace moescope

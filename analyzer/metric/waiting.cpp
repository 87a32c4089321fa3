// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/waiting.h"

namespace moescope {

Waiting waiting(const Trace& trace, const Attribution& attribution, const Selection& selection,
                const DeviceRows& device) {
  const DeviceActivity activity = device_activity(trace, attribution, selection, device.rows);
  const IntervalSet spans = step_spans(trace, attribution, selection, device);
  const StreamWork work(trace, attribution, device);
  Waiting result;
  result.split = split_phases(trace, attribution, selection, device, activity.compute);
  result.contention = comm_contention(trace, attribution, selection, device);
  std::vector<Interval> fused;
  for (const std::size_t row : device.rows)
    if (attribution.activity[row] == ActivityClass::kCompute &&
        attribution.stages[row].intersects(kCommunicationStages))
      fused.push_back(selection.interval(trace, row));
  result.fused = IntervalSet::from(std::move(fused)).measure();
  result.idle = idle_causes(trace, work, spans.subtract(activity.all()), result.split, device);
  result.blocking = blocking_comm(trace, attribution, selection, activity, spans, result.split.in_flight, work);
  return result;
}

}  // namespace moescope

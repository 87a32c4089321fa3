// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/overlap.h"

#include <algorithm>

namespace moescope {

Overlap overlap(const DeviceWork& device) {
  const DeviceActivity& activity = device.activity;
  ExposureSum sum;
  for (const HiddenSpan& span : device.communication) sum.add(span);
  const Exposure exposed = sum.exposure(device.work.definition);
  Overlap result;
  result.busy = activity.busy_time;
  result.compute = activity.compute_time;
  result.comm = activity.communication_time;
  result.comm_control = activity.communication_time - activity.payload.length();
  if (!activity.unknown.empty()) {
    const IntervalSet known = activity.communication.unite(activity.compute).unite(activity.copies);
    result.unknown = activity.unknown.subtract(known).measure();
  }
  result.exposed = exposed.exposed;
  result.weighed_comm = exposed.weighed_comm;
  result.weighed_exposed = exposed.weighed_exposed;
  result.span = device.step_spans.measure();
  result.idle = result.span - result.busy;
  const std::vector<std::uint32_t>& rows = device.chosen->rows;
  result.communication_alone = std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
    return device.work.trace.context_of(row).source == Source::kNCCL;
  });
  return result;
}

}  // namespace moescope

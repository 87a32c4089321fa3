// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/overlap.h"

#include <algorithm>

#include "analyzer/metric/device_timeline.h"

namespace moescope {

Exposure exposure(const Trace& trace, const Attribution& attribution, const Selection& selection,
                  std::span<const std::size_t> rows, const IntervalSet& hiding, Definition definition) {
  Exposure result;
  std::vector<Interval> intervals;
  for (const std::size_t row : rows)
    if (attribution.activity[row] == ActivityClass::kCommunication) intervals.push_back(selection.interval(trace, row));
  if (definition == Definition::kNsys)
    for (const Interval& one : intervals) {
      result.weighed_comm += one.length();
      result.weighed_exposed += one.length() - hiding.clip(one).measure();
    }
  const IntervalSet communication = IntervalSet::from(std::move(intervals));
  result.comm = communication.measure();
  result.exposed = communication.subtract(hiding.clip(communication.hull())).measure();
  if (definition == Definition::kNsys) {
    result.exposed = result.weighed_exposed;
  } else {
    result.weighed_comm = result.comm;
    result.weighed_exposed = result.exposed;
  }
  return result;
}

Overlap overlap(const Trace& trace, const Attribution& attribution, const Selection& selection,
                const DeviceRows& device, Definition definition) {
  const DeviceActivity activity = device_activity(trace, attribution, selection, device.rows);
  const Exposure exposed =
      exposure(trace, attribution, selection, device.rows, hiders(activity, definition), definition);
  const IntervalSet all = activity.all();
  Overlap result;
  result.busy = all.measure();
  result.compute = activity.compute.measure();
  result.comm = activity.communication.measure();
  result.comm_control = activity.control.subtract(activity.payload).measure();
  if (!activity.unknown.empty()) {
    const IntervalSet known = activity.communication.unite(activity.compute).unite(activity.copies);
    result.unknown = activity.unknown.subtract(known).measure();
  }
  result.exposed = exposed.exposed;
  result.weighed_comm = exposed.weighed_comm;
  result.weighed_exposed = exposed.weighed_exposed;
  result.span = step_spans(trace, attribution, selection, device).measure();
  result.idle = result.span - result.busy;
  result.communication_alone = std::all_of(device.rows.begin(), device.rows.end(), [&](std::size_t row) {
    return trace.context_of(row).source == Source::kNCCL;
  });
  return result;
}

}  // namespace moescope

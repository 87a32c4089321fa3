// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/waiting.h"

namespace moescope {

Waiting waiting(const Work& work, const DeviceWork& device) {
  const Attribution& attribution = work.attribution;
  Waiting result;
  result.split = split_phases(work, device);
  result.contention = comm_contention(work, device);
  UnionLength fused;
  for (const std::size_t row : device.chosen->rows)
    if (attribution.activity[row] == ActivityClass::kCompute &&
        attribution.stages[row].intersects(kCommunicationStages))
      fused.add(work.selection.interval(work.trace, row));
  result.fused = fused.length();
  result.idle = idle_causes(work, device, device.step_spans.subtract(device.activity.busy), result.split);
  result.blocking = blocking_comm(work, device, result.split.in_flight);
  return result;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/waiting.h"

namespace moescope {

Waiting waiting(const DeviceWork& device) {
  Waiting result;
  result.split = split_phases(device);
  result.contention = comm_contention(device);
  result.fused = device.fused;
  result.fused_spans = device.fused_spans;
  result.idle = idle_causes(device, result.split);
  result.blocking = blocking_comm(device, result.split.in_flight);
  return result;
}

}  // namespace moescope

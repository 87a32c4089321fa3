#pragma once
// SPDX-License-Identifier: Apache-2.0
// Exchanges that are launched in two halves, one that sends and one that receives. The wire works between them, under
// whatever the stream does meanwhile, so that the time of the kernels says little about what is hidden.

#include "analyzer/metric/work.h"

namespace moescope {

struct SplitPhases {
  bool found = false;
  std::size_t pairs = 0;
  IntervalSet in_flight;  // send end to receive start of each pair
  Ns under_compute = 0;   // of that, while the device computes
};

// Found where a device's dispatches and its combines both are twice as many as its expert activations (or its routers,
// where no activation is known), within 2 %; a stream's n-th and n + 1-th of a stage, n even, are then a pair.
SplitPhases split_phases(const DeviceWork& device);

}  // namespace moescope

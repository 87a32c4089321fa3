#pragma once
// SPDX-License-Identifier: Apache-2.0
// How much of a device's communication lies under compute: the figures the whole project is about. Totals over the
// chosen rows, in ns; whoever shows them divides by the steps.

#include "analyzer/metric/work.h"

namespace moescope {

struct Overlap {
  Ns span = 0;          // last end - first start; of each step, where there are steps
  Ns busy = 0;          // any work
  Ns compute = 0;       // compute
  Ns comm = 0;          // communication
  Ns comm_control = 0;  // the part of comm that moves no payload
  Ns exposed = 0;       // communication under nothing that hides it
  Ns idle = 0;          // span - busy
  Ns unknown = 0;       // busy with nothing but work whose content was not recorded (whole CUDA graphs)
  // Numerator and denominator of the hidden share; they differ from comm and exposed under the nsys definition only.
  Ns weighed_comm = 0, weighed_exposed = 0;
  bool communication_alone = false;  // the record is NCCL's own: nothing else that ran is in it
};

Overlap overlap(const DeviceWork& device);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Per device: why it idled, how long compute waited for communication, what is in flight between kernels, how exchanges
// and reductions disturb each other, and what can't be looked into.

#include "analyzer/metric/blocking_comm.h"
#include "analyzer/metric/comm_contention.h"
#include "analyzer/metric/idle_causes.h"

namespace moescope {

struct Waiting {
  Answer<IdleCauses> idle = Abstained{};
  Answer<Ns> blocking = Abstained{};
  SplitPhases split;
  CommContention contention;
  Ns fused = 0;  // kernels that move tokens and compute at once, counted as compute
  std::size_t fused_spans = 0;
};
Waiting waiting(const DeviceWork& device);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What any schedule is held against, from its own task times: all stages one after the other, and the busiest engine.

#include "reference_kernels/task_table.h"

namespace moescope::reference {

// Layers in turn, stages in turn, each as long as its slowest rank, the link's latency after each transfer. ns.
double serial_ns(const Durations& durations, double link_latency_ns);
// No schedule is faster: per layer the busiest engine of any rank, its workers evenly loaded; with a link and a compute
// engine max(G, D + C). ns.
double bound_ns(const Durations& durations, const EngineMap& engines, int compute_workers = 1);

}  // namespace moescope::reference

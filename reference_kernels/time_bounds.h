#pragma once
// SPDX-License-Identifier: Apache-2.0
// What any schedule is held against, from its own task times: all stages one after the other, and the busiest engine.

#include "reference_kernels/step_plan.h"
#include "reference_kernels/task_table.h"

namespace moescope::reference {

// Rounds in turn, stages in turn, each as long as on its slowest rank with its engine's workers evenly loaded, the
// link's latency after each exchange. ns.
double serial_ns(const StepPlan& plan, const Durations& durations, double link_latency_ns);
// No order is faster: the busiest engine of any rank, its workers evenly loaded; with a link and a compute engine
// max(G, D + C). Of every layer where each follows the one before, else of every step, whose rounds may overlap. ns.
double bound_ns(const StepPlan& plan, const Durations& durations);

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// How long a task takes on the virtual and paced clocks: work over rate, plus what a wave and a transfer cost whatever
// their size. Times in ns, as double.

#include "reference_kernels/moe_shape.h"
#include "reference_kernels/step_plan.h"
#include "reference_kernels/task_table.h"
#include "reference_kernels/tiling.h"

namespace moescope::reference {

struct Overheads {
  double alpha_us = 0;    // compute: launch and synchronisation, once a part of L1, and of L2 where that starts apart
  double link_us = 0;     // link: occupied by every transfer whatever its size
  double latency_us = 0;  // link: delay after a transfer, occupies nothing
};

struct CostModel {
  double flops_per_second = 1;
  double link_bytes_per_second = 1;  // ingress of a rank
  int compute_workers = 1;           // each has its share of the rate
  double activation_share = 0.05;    // activation time as a share of L1 + L2 time
  Overheads overheads;

  // Of all tasks of all steps; zero where a plan has no such task.
  Durations durations(const Volumes& volumes, const Tiling& tiling, const StepPlan& plan) const;
};

// Given stage times, split over parts in proportion to their sizes.
Durations durations_of(const StageTimes& times, const Tiling& tiling, const Overheads& overheads, int rounds,
                       int compute_workers = 1);

}  // namespace moescope::reference

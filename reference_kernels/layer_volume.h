#pragma once
// SPDX-License-Identifier: Apache-2.0
// What each task moves and computes, exactly, from the routing. A rank's link is its ingress: dispatch pulls the tokens
// of other ranks to its experts, combine pulls its own tokens' results back; backward,
// gradients of results and of tokens take their places. Pairs whose token lives with the expert
// cross no wire.

#include <cstdint>
#include <vector>

#include "reference_kernels/expert_rows.h"
#include "reference_kernels/moe_shape.h"
#include "reference_kernels/step_plan.h"
#include "reference_kernels/task_table.h"
#include "reference_kernels/tiling.h"

namespace moescope::reference {

struct WireFormat {
  double dispatch_bytes = 4, combine_bytes = 4;  // an element, scale factors included
  // A row on the wire is whole bytes.
  std::int64_t dispatch_row(int hidden) const;
  std::int64_t combine_row(int hidden) const;
  // Some columns of it; columns of all slices sum to the row.
  std::int64_t combine_columns(Columns columns) const;
  // Of the way to the experts. Gradients are as precise as results.
  std::int64_t row_to_experts(int hidden, Direction direction) const {
    return direction == Direction::kForward ? dispatch_row(hidden) : combine_row(hidden);
  }
};

// Fills one round of the table and checks that the sums over parts are what the whole layer needs, counted without
// parts; throws std::logic_error where they are not. shape.tokens: of a micro-batch.
void fill_volumes(const MoeShape& shape, const WireFormat& wire, const Tiling& tiling, const StepPlan& plan,
                  const Round& of_step, const ExpertRows& rows, int round, Volumes& volumes);

// Bytes `source` sends to each rank in a part of an exchange; its own entry stays local. Dispatch: its tokens
// (backward: gradients of results); combine: its experts' results (backward: gradients of tokens).
std::vector<std::int64_t> bytes_to_peers(const MoeShape& shape, const WireFormat& wire, const Tiling& tiling,
                                         Direction direction, const ExpertRows& rows, int source, Task task);

// What each rank sends, and receives, where the gradients of dense and shared weights are summed in a ring: 2 (n - 1) /
// n of them, in fp32.
std::int64_t all_reduce_bytes(const MoeShape& shape);

}  // namespace moescope::reference

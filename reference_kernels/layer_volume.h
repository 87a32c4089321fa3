#pragma once
// SPDX-License-Identifier: Apache-2.0
// What each task moves and computes, exactly, from the routing. A rank's link is its ingress: dispatch pulls the tokens
// of other ranks to its experts, combine pulls its own tokens' results back. Pairs whose token lives with the expert
// cross no wire.

#include <cstdint>
#include <vector>

#include "reference_kernels/expert_rows.h"
#include "reference_kernels/moe_shape.h"
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
};

// Fills one round of the table and checks that the sums over
// parts are what the whole layer needs, counted without parts; throws std::logic_error where they are not.
void fill_volumes(const MoeShape& shape, const WireFormat& wire, const Tiling& tiling, const ExpertRows& rows,
                  int round, Volumes& volumes);

// Bytes `source` sends to each rank in a part of a stage; its own entry stays local. Dispatch: its tokens; combine: the
// results of its experts.
std::vector<std::int64_t> bytes_to_peers(const MoeShape& shape, const WireFormat& wire, const Tiling& tiling,
                                         const ExpertRows& rows, int source, Task task);

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The outputs of a run as one number, and their distance from the oracle.

#include <cstdint>
#include <optional>

#include "reference_kernels/oracle.h"
#include "reference_kernels/workspace.h"

namespace moescope::reference {

// Of the bits of every output token, in global token order, and with a backward pass of every gradient: independent of
// schedule, cut, ranks and clock, but for the sums over ranks of an all-reduce.
std::uint64_t checksum(const Workspace& workspace, const MoeShape& shape, int steps);

struct OracleVerdict {
  double rel_l2;  // |job - oracle| / |oracle - input|: what the layers added, not what passed through
  std::optional<double> gradient_rel_l2;  // likewise of gradients by the input, with a backward pass
  std::int64_t tokens;                    // that were compared
};
// All tokens of all steps where that takes about a second at most, else so many, evenly spread.
OracleVerdict check_against_oracle(const Workspace& workspace, const MoeShape& shape, int steps,
                                   const ModelValues& values, const std::vector<Routing>& routings);

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tokens per expert and layer as someone recorded them, to route by: a CSV table with the columns layer, expert, tokens
// (others are passed over; rows of the same layer and expert, such as those of several steps, add up).

#include <memory>
#include <string>

#include "reference_kernels/routing.h"

namespace moescope::reference {

// experts: of the job; each layer of the file must have top_k experts with tokens at least. Throws UsageError with the
// file's name and line.
std::shared_ptr<const RoutingCounts> read_routing_counts(const std::string& path, int experts, int top_k);

}  // namespace moescope::reference

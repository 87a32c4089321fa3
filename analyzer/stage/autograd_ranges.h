#pragma once
// SPDX-License-Identifier: Apache-2.0
// The backward pass runs on a thread of its own, where nobody opens ranges: what it launches gets the range of the
// forward operator it goes back over.

#include "analyzer/stage/range_context.h"

namespace moescope {

// For spans within operators marked backward (Context::pass): ranges of their own thread stay, pass becomes backward;
// without one, the range of the forward operator with the same sequence number, else the innermost range then open on
// the one other thread of the rank that opens ranges and launches work. Operators carry their number as negative
// correlation (sequence_of).
void project_backward(const Trace& trace, RangeContexts& ranges);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// How far a report can be trusted: what share of the work has a meaning, what was lost, how well clocks agree.

#include "analyzer/metric/selection.h"
#include "analyzer/model/answer.h"

namespace moescope {

struct Coverage {
  Answer<double> stage_attributed_fraction = Abstained{};
  Answer<double> records_dropped = Abstained{};
  Answer<double> clock_residual_p95_ns = Abstained{};
};
Coverage coverage(const Trace& trace, const Attribution& attribution, const Selection& selection);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether a run's routing was forced or made up, from what its record holds: names that only forced routing has, or
// counts that no router gives. Benchmarks route tokens evenly by force; nothing may be concluded on balance from them.

#include "analyzer/model/trace.h"

namespace moescope {

// Sets Model::synthetic_routing where the record leaves it open, and says why in a diagnostic (synthetic_routing).
void settle_synthetic_routing(Trace& trace);

}  // namespace moescope

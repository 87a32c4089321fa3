#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which step each span belongs to: as the record marks it, else as the names of ranges say, else by the period of the
// kernels' sequence on each device.

#include "analyzer/stage/attribution.h"
#include "analyzer/stage/place_table.h"
#include "analyzer/stage/range_context.h"

namespace moescope {

// Fills structure.steps, step_fact and the steps of places. Rank by rank: marks of one rank don't speak for another.
void find_steps(const Trace& trace, const RangeContexts& ranges, Attribution& attribution, PlaceTable& places);

}  // namespace moescope

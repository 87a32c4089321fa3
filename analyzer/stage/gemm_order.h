#pragma once
// SPDX-License-Identifier: Apache-2.0
// Most frameworks launch one grouped-GEMM kernel for both expert projections; which is which shows in the order.

#include <vector>

#include "analyzer/model/trace.h"
#include "analyzer/stage/attribution.h"

namespace moescope {

// For the rows of a track that are marked: the GEMM behind the activation is L2, the one before it L1; in the backward
// pass the other way round (L2's gradient, the activation's, L1's). Where several waves follow one another without
// anything between, as many GEMMs lead to each activation as to the first one. A new stretch begins with any exchange,
// permutation, router or attention kernel, since a dense layer's or a shared expert's activation may have gone before.
// ambiguous: one entry a row of the track. Tracks may be ordered at the same time.
void order_expert_gemms(const Track& track, const std::vector<bool>& ambiguous, Attribution& attribution);

}  // namespace moescope

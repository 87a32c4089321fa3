#pragma once
// SPDX-License-Identifier: Apache-2.0
// Layers, micro-batches and waves where nobody marked them: from the chains dispatch ... combine on each device.

#include "analyzer/stage/attribution.h"
#include "analyzer/stage/place_table.h"

namespace moescope {

// Fills layer, micro-batch and wave of places and their facts, for ranks whose work carries no layer. Layers count from
// 0 in each step in the order of the forward pass; a backward pass counts down. Two micro-batches are in flight where
// each layer of one opens before the other's has closed. Gives generic all-to-alls their role, where layers are found.
// Comes after find_steps. n log n in the rows of expert layers.
void find_layers(const Trace& trace, Attribution& attribution, PlaceTable& places);

}  // namespace moescope

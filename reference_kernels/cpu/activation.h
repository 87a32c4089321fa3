#pragma once
// SPDX-License-Identifier: Apache-2.0
// SwiGLU times the router weight: silu(gate) * up * weight replaces the gate.

#include <cstddef>

namespace moescope::reference {

// e^x in float from basic operations, the same bits everywhere; relative error below 2e-7 for |x| <= 87, saturating
// beyond.
float exponential(float x);

// Columns [0, width) of each row; a column's up value lies `to_up` elements behind its gate value. stride: between
// rows.
void weighted_swiglu(int rows, int width, const float* row_weights, float* gate, std::ptrdiff_t to_up,
                     std::ptrdiff_t stride);

}  // namespace moescope::reference

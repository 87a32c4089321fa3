#pragma once
// SPDX-License-Identifier: Apache-2.0
// SwiGLU times the router weight, on rows of [gate | up]: silu(gate) * up * weight replaces the gate half.

#include <cstddef>

namespace moescope::reference {

// e^x in float from basic operations, the same bits everywhere; relative error below 2e-7 for |x| <= 87, saturating
// beyond.
float exponential(float x);

void weighted_swiglu(int rows, int width, const float* row_weights, float* gate_up, std::ptrdiff_t stride);

}  // namespace moescope::reference

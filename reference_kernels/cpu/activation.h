#pragma once
// SPDX-License-Identifier: Apache-2.0
// SwiGLU times the router weight, silu(gate) * up * weight, and its gradient.

#include <cstddef>

namespace moescope::reference {

// e^x in float from basic operations, the same bits everywhere; relative error below 2e-7 for |x| <= 87, saturating
// beyond.
float exponential(float x);

// Columns [0, width) of each row of gate; a column's up value lies `to_up` elements behind its gate value. stride,
// out_stride: elements between rows.
void weighted_swiglu(int rows, int width, const float* row_weights, const float* gate, std::ptrdiff_t to_up,
                     std::ptrdiff_t stride, float* out, std::ptrdiff_t out_stride);
// Gradients by gate and up, from `by_out`, the gradient by the result: rows of by_out are `out_stride` apart; gate and
// by_gate are rows of 2 * out_stride, up in the second half.
void weighted_swiglu_gradient(int rows, int width, const float* row_weights, const float* gate, const float* by_out,
                              std::ptrdiff_t out_stride, float* by_gate);

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
// Compiled without contraction to fused multiply-adds, and written so that the compiler can take several elements at a
// time.
#include "reference_kernels/cpu/activation.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace moescope::reference {
namespace {

inline float exponential_inline(float x) {
  x = std::min(87.0f, std::max(-87.0f, x));
  // x = n ln 2 + r, |r| <= ln(2) / 2. The shift constant rounds to the nearest integer; ln 2 in two parts keeps r
  // exact.
  constexpr float kShift = 12582912.0f;  // 1.5 * 2^23
  const float shifted = x * 1.44269504f + kShift;
  const float n = shifted - kShift;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.0f / 5040.0f;
  p = p * r + 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const std::int32_t exponent = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kShift);
  return p * std::bit_cast<float>((exponent + 127) << 23);
}

}  // namespace

float exponential(float x) {
  return exponential_inline(x);
}

void weighted_swiglu(int rows, int width, const float* row_weights, const float* first_gate, std::ptrdiff_t to_up,
                     std::ptrdiff_t stride, float* first_out, std::ptrdiff_t out_stride) {
  for (int row = 0; row < rows; ++row) {
    const float* __restrict gate = first_gate + row * stride;
    const float* __restrict up = gate + to_up;
    float* __restrict out = first_out + row * out_stride;
    const float weight = row_weights[row];
    for (int i = 0; i < width; ++i) out[i] = gate[i] / (1.0f + exponential_inline(-gate[i])) * up[i] * weight;
  }
}

void weighted_swiglu_gradient(int rows, int width, const float* row_weights, const float* first_gate,
                              const float* first_by_out, std::ptrdiff_t out_stride, float* first_by_gate) {
  for (int row = 0; row < rows; ++row) {
    const float* __restrict gate = first_gate + row * 2 * out_stride;
    const float* __restrict up = gate + out_stride;
    const float* __restrict by_out = first_by_out + row * out_stride;
    float* __restrict by_gate = first_by_gate + row * 2 * out_stride;
    float* __restrict by_up = by_gate + out_stride;
    const float weight = row_weights[row];
    for (int i = 0; i < width; ++i) {
      const float sigmoid = 1.0f / (1.0f + exponential_inline(-gate[i])), by_product = by_out[i] * weight;
      by_up[i] = by_product * (gate[i] * sigmoid);
      by_gate[i] = by_product * up[i] * (sigmoid * (1.0f + gate[i] * (1.0f - sigmoid)));
    }
  }
}

}  // namespace moescope::reference

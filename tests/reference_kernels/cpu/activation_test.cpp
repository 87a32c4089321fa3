// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cpu/activation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference_kernels/bf16.h"
#include "tests/reference_kernels/random_cases.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;

TEST_CASE("the exponential is right to two units in the last place and saturates") {
  double worst = 0;
  for (double x = -87; x <= 87; x += 0.00371) {
    const auto f = static_cast<float>(x);
    worst = std::max(worst, std::fabs(double{exponential(f)} / std::exp(double{f}) - 1));
  }
  CHECK(worst < 2e-7);
  CHECK(exponential(0.0f) == 1.0f);
  CHECK((std::isfinite(exponential(1e6f)) && exponential(1e6f) > 1e37f));
  CHECK((exponential(-1e6f) >= 0.0f && exponential(-1e6f) < 1e-37f));
}

TEST_CASE("SwiGLU times the row's weight, and its gradient by differences") {
  RandomCases random(4);
  constexpr int kRows = 5, kWidth = 19, kUsed = 17, kStride = 2 * kWidth;
  std::vector<float> values(kRows * kStride), weights, out(kRows * kWidth, 7.0f), by_out(kRows * kWidth),
      by_values(kRows * kStride, 7.0f);
  for (float& v : values) v = static_cast<float>(random.real(-9, 9));
  for (float& v : by_out) v = static_cast<float>(random.real(-2, 2));
  for (int i = 0; i < kRows; ++i) weights.push_back(static_cast<float>(random.real(0, 1)));
  values[3] = 200.0f, values[4] = -200.0f;
  weighted_swiglu(kRows, kUsed, weights.data(), values.data(), kWidth, kStride, out.data(), kWidth);
  weighted_swiglu_gradient(kRows, kUsed, weights.data(), values.data(), by_out.data(), kWidth, by_values.data());
  const auto silu = [](double gate) { return gate / (1 + std::exp(-gate)); };
  for (int row = 0; row < kRows; ++row) {
    const double weight = double{weights[static_cast<std::size_t>(row)]};
    for (int i = 0; i < kWidth; ++i) {
      const auto at = static_cast<std::size_t>(row * kWidth + i), gate_at = static_cast<std::size_t>(row * kStride + i);
      if (i >= kUsed) {  // columns that were not asked for
        REQUIRE((out[at] == 7.0f && by_values[gate_at] == 7.0f && by_values[gate_at + kWidth] == 7.0f));
        continue;
      }
      const double gate = double{values[gate_at]}, up = double{values[gate_at + kWidth]}, by = double{by_out[at]};
      REQUIRE(double{out[at]} == Approx(silu(gate) * up * weight).epsilon(1e-6).margin(1e-30));
      const double step = 1e-5, slope = (silu(gate + step) - silu(gate - step)) / (2 * step);
      REQUIRE(double{by_values[gate_at]} == Approx(by * weight * up * slope).epsilon(2e-5).margin(1e-7));
      REQUIRE(double{by_values[gate_at + kWidth]} == Approx(by * weight * silu(gate)).epsilon(1e-6).margin(1e-30));
    }
  }
}

TEST_CASE("bf16 rounds to nearest, ties to even") {
  CHECK(from_bf16(to_bf16(1.0f)) == 1.0f);
  CHECK(from_bf16(to_bf16(1.0f + 0x1p-8f)) == 1.0f);                // a tie: the even one is below
  CHECK(from_bf16(to_bf16(1.0f + 3 * 0x1p-8f)) == 1.0f + 0x1p-6f);  // a tie: the even one is above
  CHECK(from_bf16(to_bf16(1.0f + 0x1p-8f + 0x1p-20f)) == 1.0f + 0x1p-7f);
  RandomCases random(5);
  for (int i = 0; i < 10000; ++i) {
    const auto value = static_cast<float>(random.real(-100, 100));
    REQUIRE(std::fabs(from_bf16(to_bf16(value)) - value) <= std::fabs(value) * 0x1p-8f);
  }
}

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

TEST_CASE("SwiGLU times the row's weight, in the gate half alone") {
  RandomCases random(4);
  constexpr int kRows = 5, kWidth = 19, kStride = 41;
  std::vector<float> values(kRows * kStride), weights;
  for (float& v : values) v = static_cast<float>(random.real(-9, 9));
  for (int i = 0; i < kRows; ++i) weights.push_back(static_cast<float>(random.real(0, 1)));
  values[3] = 200.0f, values[4] = -200.0f;
  const std::vector<float> before = values;
  weighted_swiglu(kRows, kWidth, weights.data(), values.data(), kWidth, kStride);
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kStride; ++i) {
      const auto at = static_cast<std::size_t>(row * kStride + i);
      if (i >= kWidth) {
        REQUIRE(values[at] == before[at]);
        continue;
      }
      const double gate = double{before[at]}, up = double{before[at + kWidth]};
      const double expected = gate / (1 + std::exp(-gate)) * up * double{weights[static_cast<std::size_t>(row)]};
      REQUIRE(double{values[at]} == Approx(expected).epsilon(1e-6).margin(1e-30));
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

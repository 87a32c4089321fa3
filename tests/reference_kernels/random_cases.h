#pragma once
// SPDX-License-Identifier: Apache-2.0
// Numbers for property tests: the same sequence on every run, so a failure repeats.
#include <cstdint>
#include <random>

namespace moescope::reference::test {

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : engine_(seed) {}
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  double real(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace moescope::reference::test

#pragma once
// SPDX-License-Identifier: Apache-2.0
// bfloat16 as the upper half of a float, rounded to nearest even. No hardware conversion, so every machine agrees.

#include <bit>
#include <cstdint>

namespace moescope::reference {

constexpr std::uint16_t to_bf16(float value) {  // finite values
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
constexpr float from_bf16(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a pure function of (seed, stream, index): the same on every machine, in any order, from any
// thread. Integer arithmetic and exact conversions only.

#include <cstdint>

namespace moescope::reference {

// A bijective mix of 64 bits (two rounds of xor-shift and multiply).
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class CounterRandom {
 public:
  constexpr CounterRandom(std::uint64_t seed, std::uint64_t stream)
      : key_(mix_bits(mix_bits(seed + kStep) ^ (stream * 0xd1342543de82ef95u + kStep))) {}
  constexpr std::uint64_t bits(std::uint64_t index) const { return mix_bits(key_ + (index + 1) * kStep); }
  // In [0, bound), bound > 0. The bias is below bound / 2^64.
  constexpr std::uint64_t below(std::uint64_t index, std::uint64_t bound) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(index)) * bound) >> 64);
  }
  // In [-1, 1), a multiple of 2^-23: exact in float.
  constexpr float symmetric(std::uint64_t index) const {
    return static_cast<float>(static_cast<std::int32_t>(bits(index) >> 40) - (1 << 23)) * 0x1p-23f;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  std::uint64_t key_;
};

}  // namespace moescope::reference

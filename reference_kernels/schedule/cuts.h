#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a rank's local experts are cut: into waves of whole experts, and each expert's rows into blocks. A block is the
// unit of dependency; a wave is an order of blocks. constexpr, no memory of its own.

#include <cstddef>
#include <span>

namespace moescope::reference {

struct Cuts {
  int experts = 1;  // local to a rank
  int waves = 1;    // 1 <= waves <= experts
  int blocks = 0;   // of each expert's rows; 0: a wave is one piece
  std::span<const int>
      ends{};  // past the last expert of each wave; none: sizes differ by at most one, larger ones first

  // Parts of a stage.
  constexpr int parts() const { return blocks == 0 ? waves : experts * blocks; }
  // The first part of a wave; of wave `waves`, parts().
  constexpr int first_part(int wave) const { return blocks == 0 ? wave : first_expert(wave) * blocks; }
  constexpr int parts_in(int wave) const { return first_part(wave + 1) - first_part(wave); }
  constexpr int wave_of_part(int part) const { return blocks == 0 ? part : wave_of_expert(part / blocks); }

  constexpr int first_expert(int wave) const {
    if (!ends.empty()) return wave == 0 ? 0 : ends[static_cast<std::size_t>(wave) - 1];
    const int small = experts / waves, larger = experts % waves;
    return wave * small + (wave < larger ? wave : larger);
  }
  constexpr int wave_of_expert(int expert) const {
    if (!ends.empty()) {
      int low = 0, high = waves - 1;  // the first wave that ends past the expert
      while (low < high) {
        const int middle = low + (high - low) / 2;
        if (ends[static_cast<std::size_t>(middle)] > expert) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }
    const int small = experts / waves, larger = experts % waves, in_larger = larger * (small + 1);
    return expert < in_larger ? expert / (small + 1) : larger + (expert - in_larger) / small;
  }
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The longest stretch of a sequence that comes again and again, such as the kernels of a training step.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace moescope {

struct Repeats {
  std::vector<std::size_t> begins;  // where each repeat begins, ascending
  bool last_whole = false;          // the last one, which ends with the sequence, is like the others
  std::size_t period = 0;           // median length
  // How alike neighbouring repeats are, times the share of all distinct symbols that one of them holds: a layer within
  // a step repeats too, but the embedding and the head are in none of its repeats. 0: nothing repeats three times.
  double confidence = 0;
};

// symbols are small numbers, 0 .. below; pauses[i] >= 0 is the pause before element i: of equal choices, repeats begin
// at the longest. Linear in the sequence.
Repeats find_repeats(std::span<const std::int32_t> symbols, std::size_t below, std::span<const std::int64_t> pauses);

}  // namespace moescope

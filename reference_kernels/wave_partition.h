#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which local experts a wave holds: a contiguous run, the same on every rank. Experts are split, not tokens, so a
// wave's matrices are as tall as the whole layer's.

#include <cstddef>
#include <utility>
#include <vector>

namespace moescope::reference {

class WavePartition {
 public:
  // Sizes differ by at most one, larger ones first. 1 <= waves <= local_experts.
  static WavePartition even(int local_experts, int waves) {
    std::vector<int> sizes;
    for (int wave = 0; wave < waves; ++wave) {
      sizes.push_back(local_experts / waves + (wave < local_experts % waves ? 1 : 0));
    }
    return WavePartition(sizes);
  }
  explicit WavePartition(const std::vector<int>& sizes) {
    for (int size : sizes) begins_.push_back(begins_.back() + size);
  }
  int waves() const { return static_cast<int>(begins_.size()) - 1; }
  int local_experts() const { return begins_.back(); }
  int begin(int wave) const { return begins_[static_cast<std::size_t>(wave)]; }
  int end(int wave) const { return begins_[static_cast<std::size_t>(wave) + 1]; }
  int size(int wave) const { return end(wave) - begin(wave); }
  int wave_of(int local_expert) const {
    int wave = 0;
    while (end(wave) <= local_expert) ++wave;
    return wave;
  }

 private:
  std::vector<int> begins_{0};
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where every token of one layer of one step goes and comes back to: the bookkeeping a dispatch does, made before the
// clock starts. Rows of an expert lie together on its owner, by source rank, then by token.

#include <cstdint>
#include <span>
#include <vector>

#include "reference_kernels/moe_shape.h"
#include "reference_kernels/routing.h"
#include "reference_kernels/wave_partition.h"

namespace moescope::reference {

class ExchangePlan {
 public:
  ExchangePlan(const MoeShape& shape, const WavePartition& waves, const Routing& routing);

  // Entries token * top_k + slot of a source rank's tokens (its own numbering) for an expert, ascending.
  std::span<const std::int32_t> sent(int source, int expert) const;
  // The row on the expert's owner where they start.
  std::int64_t first_row(int source, int expert) const { return first_row_[at(expert, source)]; }
  // Rows of an expert on its owner: [first_row(0, expert), + rows(expert)).
  std::int64_t rows(int expert) const;
  std::int64_t rows_on(int rank) const;
  // Tokens of a rank whose last result comes with that wave's combine.
  const std::vector<std::int32_t>& completed(int rank, int wave) const {
    return completed_[static_cast<std::size_t>(rank) * static_cast<std::size_t>(waves_) +
                      static_cast<std::size_t>(wave)];
  }

 private:
  std::size_t at(int expert, int source) const {
    return static_cast<std::size_t>(expert) * static_cast<std::size_t>(shape_.ranks) + static_cast<std::size_t>(source);
  }
  MoeShape shape_;
  int waves_;
  std::vector<std::int64_t> counts_;      // [expert][source]
  std::vector<std::int64_t> first_row_;   // [expert][source]
  std::vector<std::size_t> first_entry_;  // [expert][source], into entries_
  std::vector<std::int32_t> entries_;
  std::vector<std::vector<std::int32_t>> completed_;  // [rank][wave]
};

}  // namespace moescope::reference

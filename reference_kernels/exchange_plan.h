#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where every token of one layer of one step goes and comes back to: the bookkeeping a dispatch does, made before the
// clock starts. Rows of an expert lie together on its owner, by source rank, then by token.

#include <cstdint>
#include <span>
#include <vector>

#include "reference_kernels/expert_rows.h"
#include "reference_kernels/moe_shape.h"
#include "reference_kernels/routing.h"

namespace moescope::reference {

class ExchangePlan {
 public:
  ExchangePlan(const MoeShape& shape, const Tiling& tiling, const Routing& routing);

  // Entries token * top_k + slot of a source rank's tokens (its own numbering) for an expert, ascending.
  std::span<const std::int32_t> sent(int source, int expert) const;
  // Where an expert's rows start on its owner; within them rows() tells.
  std::int64_t first_row(int expert) const { return first_row_[static_cast<std::size_t>(expert)]; }
  const ExpertRows& rows() const { return rows_; }
  std::int64_t rows_on(int rank) const;
  // Tokens of a rank whose last result comes with that part of the combine; where parts are columns, all tokens in
  // each.
  const std::vector<std::int32_t>& completed(int rank, int part) const {
    return completed_[static_cast<std::size_t>(rank) * static_cast<std::size_t>(combine_parts_) +
                      static_cast<std::size_t>(part)];
  }

 private:
  std::size_t at(int expert, int source) const {
    return static_cast<std::size_t>(expert) * static_cast<std::size_t>(shape_.ranks) + static_cast<std::size_t>(source);
  }
  MoeShape shape_;
  ExpertRows rows_;
  int combine_parts_;
  std::vector<std::int64_t> first_row_;   // [expert]
  std::vector<std::size_t> first_entry_;  // [expert][source], into entries_
  std::vector<std::int32_t> entries_;
  std::vector<std::vector<std::int32_t>> completed_;  // [rank][part]
};

}  // namespace moescope::reference

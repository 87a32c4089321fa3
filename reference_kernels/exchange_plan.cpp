// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/exchange_plan.h"

#include <algorithm>
#include <numeric>

namespace moescope::reference {

ExchangePlan::ExchangePlan(const MoeShape& shape, const Tiling& tiling, const Routing& routing)
    : shape_(shape),
      rows_(shape, count_tokens(shape, routing)),
      combine_parts_(tiling.parts(Stage::kCombine)),
      first_row_(static_cast<std::size_t>(shape.experts)),
      first_entry_(static_cast<std::size_t>(shape.experts) * static_cast<std::size_t>(shape.ranks)),
      entries_(routing.expert.size()),
      completed_(static_cast<std::size_t>(shape.ranks) * static_cast<std::size_t>(combine_parts_)) {
  std::size_t entry = 0;
  for (int expert = 0; expert < shape.experts; ++expert) {
    const bool first_there = expert % shape.local_experts() == 0;
    first_row_[static_cast<std::size_t>(expert)] = first_there ? 0 : first_row(expert - 1) + rows_.rows(expert - 1);
    for (int source = 0; source < shape.ranks; ++source) {
      first_entry_[at(expert, source)] = entry;
      entry += static_cast<std::size_t>(rows_.rows(expert, source));
    }
  }
  const bool by_columns = tiling.tile({Stage::kCombine, 0}).result_columns;
  std::vector<std::size_t> next = first_entry_;
  const auto top_k = static_cast<std::size_t>(shape.top_k);
  for (int rank = 0; rank < shape.ranks; ++rank) {
    for (int token = 0; token < shape.tokens; ++token) {
      const std::size_t first =
          (static_cast<std::size_t>(rank) * static_cast<std::size_t>(shape.tokens) + static_cast<std::size_t>(token)) *
          top_k;
      int last_part = 0;
      for (std::size_t slot = 0; slot < top_k; ++slot) {
        const int expert = routing.expert[first + slot];
        const std::size_t i = at(expert, rank), place = next[i]++;
        entries_[place] = static_cast<std::int32_t>(static_cast<std::size_t>(token) * top_k + slot);
        const std::int64_t row = rows_.begin(expert, rank) + static_cast<std::int64_t>(place - first_entry_[i]);
        last_part =
            std::max(last_part, tiling.part_of_row(Stage::kCombine, expert % shape.local_experts(), row,
                                                   rows_.rows(expert), rows_.begin(expert, shape.owner(expert))));
      }
      for (int part = by_columns ? 0 : last_part; part < (by_columns ? combine_parts_ : last_part + 1); ++part) {
        completed_[static_cast<std::size_t>(rank) * static_cast<std::size_t>(combine_parts_) +
                   static_cast<std::size_t>(part)]
            .push_back(token);
      }
    }
  }
}

std::span<const std::int32_t> ExchangePlan::sent(int source, int expert) const {
  return {entries_.data() + first_entry_[at(expert, source)], static_cast<std::size_t>(rows_.rows(expert, source))};
}

std::int64_t ExchangePlan::rows_on(int rank) const {
  std::int64_t sum = 0;
  for (int local = 0; local < shape_.local_experts(); ++local) sum += rows_.rows(shape_.first_expert(rank) + local);
  return sum;
}

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/exchange_plan.h"

#include <algorithm>

namespace moescope::reference {

ExchangePlan::ExchangePlan(const MoeShape& shape, const WavePartition& waves, const Routing& routing)
    : shape_(shape),
      waves_(waves.waves()),
      counts_(count_tokens(shape, routing)),
      first_row_(counts_.size()),
      first_entry_(counts_.size()),
      entries_(routing.expert.size()),
      completed_(static_cast<std::size_t>(shape.ranks) * static_cast<std::size_t>(waves.waves())) {
  std::size_t entry = 0;
  for (int expert = 0; expert < shape.experts; ++expert) {
    std::int64_t row = 0;
    if (expert % shape.local_experts() != 0) row = first_row(0, expert - 1) + rows(expert - 1);
    for (int source = 0; source < shape.ranks; ++source) {
      first_row_[at(expert, source)] = row;
      first_entry_[at(expert, source)] = entry;
      row += counts_[at(expert, source)];
      entry += static_cast<std::size_t>(counts_[at(expert, source)]);
    }
  }
  std::vector<std::size_t> next = first_entry_;
  const auto top_k = static_cast<std::size_t>(shape.top_k);
  for (int rank = 0; rank < shape.ranks; ++rank) {
    for (int token = 0; token < shape.tokens; ++token) {
      const std::size_t first =
          (static_cast<std::size_t>(rank) * static_cast<std::size_t>(shape.tokens) + static_cast<std::size_t>(token)) *
          top_k;
      int last_wave = 0;
      for (std::size_t slot = 0; slot < top_k; ++slot) {
        const int expert = routing.expert[first + slot];
        entries_[next[at(expert, rank)]++] = static_cast<std::int32_t>(static_cast<std::size_t>(token) * top_k + slot);
        last_wave = std::max(last_wave, waves.wave_of(expert % shape.local_experts()));
      }
      completed_[static_cast<std::size_t>(rank) * static_cast<std::size_t>(waves_) +
                 static_cast<std::size_t>(last_wave)]
          .push_back(token);
    }
  }
}

std::span<const std::int32_t> ExchangePlan::sent(int source, int expert) const {
  const std::size_t i = at(expert, source);
  return {entries_.data() + first_entry_[i], static_cast<std::size_t>(counts_[i])};
}

std::int64_t ExchangePlan::rows(int expert) const {
  std::int64_t sum = 0;
  for (int source = 0; source < shape_.ranks; ++source) sum += counts_[at(expert, source)];
  return sum;
}

std::int64_t ExchangePlan::rows_on(int rank) const {
  std::int64_t sum = 0;
  for (int local = 0; local < shape_.local_experts(); ++local) sum += rows(shape_.first_expert(rank) + local);
  return sum;
}

}  // namespace moescope::reference

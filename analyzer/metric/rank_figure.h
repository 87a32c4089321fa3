#pragma once
// SPDX-License-Identifier: Apache-2.0
// A figure over ranks: the middle one and the worst one, and whose that is. Never a mean: one bad rank holds up all.

#include <span>
#include <vector>

#include "analyzer/model/id.h"

namespace moescope {

enum class Better { kLower, kHigher, kNeither };  // kNeither: the largest counts as worst

struct RankFigure {
  double median = 0, worst = 0;
  RankId worst_rank;
};
struct RankValue {
  RankId rank;
  double value = 0;
};

// The mean of the two middle ones where their number is even. values must not be empty.
double median(std::vector<double> values);
RankFigure over_ranks(std::span<const RankValue> values, Better better);

}  // namespace moescope

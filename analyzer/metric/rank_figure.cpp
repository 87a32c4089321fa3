// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/rank_figure.h"

#include <algorithm>

namespace moescope {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

RankFigure over_ranks(std::span<const RankValue> values, Better better) {
  std::vector<double> plain;
  for (const RankValue& one : values) plain.push_back(one.value);
  const auto less = [](const RankValue& a, const RankValue& b) { return a.value < b.value; };
  const auto worst = better == Better::kHigher ? std::min_element(values.begin(), values.end(), less)
                                               : std::max_element(values.begin(), values.end(), less);
  return {median(std::move(plain)), worst->value, worst->rank};
}

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Metrics by id, as text in their unit: what tables of a report are filled with.

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metric/metrics.h"

namespace moescope {

class FigureText {
 public:
  explicit FigureText(const Analysis& analysis) : analysis_(analysis) {}
  static std::string in_unit(const Metric& metric, double value);
  // Median, or worst, over ranks; empty where it is absent.
  std::string over(Grain grain, std::string_view id, std::size_t row, bool worst = false) const;
  std::string plain(Grain grain, std::string_view id, std::size_t row, std::size_t device = 0) const;
  // Rows of a grain, in order; where there are more than shown, the largest by the metric's median, descending.
  std::vector<std::size_t> largest(Grain grain, std::string_view id, std::size_t shown) const;

 private:
  const Analysis& analysis_;
};

}  // namespace moescope

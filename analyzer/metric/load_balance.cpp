// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/load_balance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace moescope {
namespace {
double sum(std::span<const double> loads) {
  return std::accumulate(loads.begin(), loads.end(), 0.0);
}
}  // namespace

double max_over_mean(std::span<const double> loads) {
  return *std::max_element(loads.begin(), loads.end()) * static_cast<double>(loads.size()) / sum(loads);
}

double coefficient_of_variation(std::span<const double> loads) {
  const double n = static_cast<double>(loads.size()), mean = sum(loads) / n;
  double squares = 0;
  for (const double load : loads) squares += (load - mean) * (load - mean);
  return std::sqrt(squares / n) / mean;
}

double gini(std::span<const double> loads) {
  std::vector<double> sorted(loads.begin(), loads.end());
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(sorted.size());
  double weighted = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) weighted += static_cast<double>(i + 1) * sorted[i];
  return 2 * weighted / (n * sum(loads)) - (n + 1) / n;
}

double entropy_normalised(std::span<const double> loads) {
  const double total = sum(loads);
  double entropy = 0;
  for (const double load : loads)
    if (load > 0) entropy -= load / total * std::log(load / total);
  return entropy / std::log(static_cast<double>(loads.size()));
}

}  // namespace moescope

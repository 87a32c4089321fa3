#pragma once
// SPDX-License-Identifier: Apache-2.0
// How evenly a total is spread over experts or ranks: the closed formulas, on plain numbers. Counts are not negative;
// their sum is above zero unless said otherwise.

#include <span>

namespace moescope {

double max_over_mean(std::span<const double> loads);             // 1 even ... n all on one
double coefficient_of_variation(std::span<const double> loads);  // population standard deviation / mean
double gini(std::span<const double> loads);                      // 0 even ... (n-1)/n all on one
double entropy_normalised(std::span<const double> loads);        // 1 even ... 0 all on one; n >= 2

}  // namespace moescope

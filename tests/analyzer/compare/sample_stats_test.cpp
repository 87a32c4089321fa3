// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/sample_stats.h"

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("Student's t: printed tables, Cauchy and normal closed forms, symmetry") {
  const double infinite = std::numeric_limits<double>::infinity();
  struct Row {
    double df, five_percent, half_percent;
  };
  const Row table[] = {{1, 6.314, 63.657}, {2, 2.920, 9.925},  {4, 2.132, 4.604},
                       {9, 1.833, 3.250},  {30, 1.697, 2.750}, {infinite, 1.645, 2.576}};
  for (const Row& row : table) {
    CHECK(t_quantile_upper(0.05, row.df) == Approx(row.five_percent).margin(0.0006));
    CHECK(t_quantile_upper(0.005, row.df) == Approx(row.half_percent).margin(0.0006));
  }
  for (const double t : {-40.0, -2.5, -0.1, 0.0, 0.3, 1.0, 7.0, 300.0}) {
    CHECK(t_upper_tail(t, 1) == Approx(0.5 - std::atan(t) / M_PI).epsilon(1e-9));  // Cauchy
    CHECK(t_upper_tail(t, 2) == Approx(0.5 - t / (2 * std::sqrt(2 + t * t))).epsilon(1e-8).margin(1e-12));
    CHECK(t_upper_tail(t, 5) + t_upper_tail(-t, 5) == Approx(1));
    CHECK(t_upper_tail(t, infinite) == Approx(0.5 * std::erfc(t / std::sqrt(2.0))));
  }
  for (const double df : {1.0, 2.0, 3.5, 17.0})
    for (const double tail : {0.4, 0.05, 0.001, 0.9})
      CHECK(t_upper_tail(t_quantile_upper(tail, df), df) == Approx(tail));
}

TEST_CASE("variance is the sample's, and zero for one value") {
  CHECK(variance(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}) == Approx(32.0 / 7));
  CHECK(variance(std::vector<double>{3}) == 0);
}

TEST_CASE("bootstrap: the standard error of a median, of independent and of correlated steps") {
  // Against the spread of medians over many fresh series of the same process.
  for (const double memory : {0.0, 0.6}) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    const auto series = [&] {
      std::vector<double> values(200);
      double state = normal(random);
      for (double& value : values) {
        value = state;
        state = memory * state + std::sqrt(1 - memory * memory) * normal(random);
      }
      return values;
    };
    std::vector<double> medians, errors;
    for (int i = 0; i < 400; ++i) {
      std::vector<double> values = series();
      if (i < 40) errors.push_back(median_standard_error(values, block_length(values), 100, 1));
      std::nth_element(values.begin(), values.begin() + 100, values.end());
      medians.push_back(values[100]);
    }
    const double truth = std::sqrt(variance(medians));
    CHECK(mean(errors) == Approx(truth).epsilon(0.25));
  }
}

TEST_CASE("bootstrap: the same seed gives the same error, another nearly the same") {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(std::sin(i * 1.7));
  CHECK(median_standard_error(values, 5, 200, 3) == median_standard_error(values, 5, 200, 3));
  CHECK(median_standard_error(values, 5, 400, 3) == Approx(median_standard_error(values, 5, 400, 4)).epsilon(0.3));
}

TEST_CASE("blocks are as long as steps hang together") {
  std::vector<double> alternating, slow;
  for (int i = 0; i < 512; ++i) {
    alternating.push_back(i % 2);
    slow.push_back(std::sin(i / 20.0));
  }
  CHECK(block_length(alternating) == 8);  // the cube root of 512
  CHECK(block_length(slow) > 20);
  CHECK(block_length(std::vector<double>{1, 2}) == 1);
  CHECK(block_length(std::vector<double>(100, 3.0)) == 5);
}

TEST_CASE("Benjamini-Hochberg: the step-up rule on its authors' example") {
  // 15 ordered p-values; at q = 0.05 the first four are rejected (Benjamini and Hochberg 1995, section 3.2).
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
  const std::vector<bool> rejected = benjamini_hochberg(p, 0.05);
  for (std::size_t i = 0; i < p.size(); ++i) CHECK(rejected[i] == (i < 4));
  CHECK(benjamini_hochberg(std::vector<double>{0.02, 0.024, 0.025}, 0.025) == std::vector<bool>{true, true, true});
  CHECK(benjamini_hochberg({}, 0.05).empty());
}

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/sample_stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "analyzer/metric/rank_figure.h"

namespace moescope {
namespace {

// Continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
  double value = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      if (std::fabs(c) < kTiny) c = kTiny;
      value *= d * c;
    }
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return value;
}

double incomplete_beta(double a, double b, double x) {  // regularised
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return squares / static_cast<double>(values.size() - 1);
}

double t_upper_tail(double t, double df) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  if (std::isinf(df)) return 0.5 * std::erfc(t / std::sqrt(2.0));
  const double tail = 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t));
  return t >= 0 ? tail : 1 - tail;
}

double t_quantile_upper(double tail, double df) {
  double low = -1, high = 1;
  while (t_upper_tail(low, df) < tail) low *= 2;
  while (t_upper_tail(high, df) > tail) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (t_upper_tail(middle, df) > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::size_t block_length(std::span<const double> series) {
  const std::size_t n = series.size();
  if (n < 4) return 1;
  const double middle = mean(series);
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += (series[i] - middle) * (series[i + lag] - middle);
    return sum / static_cast<double>(n);
  };
  const double whole = covariance(0);
  double length = 1;
  if (whole > 0)
    for (std::size_t lag = 1; lag < n / 2; ++lag) {
      const double correlation = covariance(lag) / whole;
      if (correlation <= 0) break;  // what follows is noise
      length += 2 * correlation;
    }
  length = std::max(length, std::cbrt(static_cast<double>(n)));
  return std::min(static_cast<std::size_t>(std::ceil(length)), n / 2);
}

double median_standard_error(std::span<const double> series, std::size_t block, std::size_t rounds,
                             std::uint64_t seed) {
  const std::size_t n = series.size();
  std::mt19937_64 random(seed);
  std::vector<double> medians, draw;
  medians.reserve(rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    draw.clear();
    while (draw.size() < n) {
      const std::size_t start = static_cast<std::size_t>(random() % n);  // n is far below 2^64: no bias to speak of
      for (std::size_t i = 0; i < block && draw.size() < n; ++i) draw.push_back(series[(start + i) % n]);
    }
    medians.push_back(median(draw));
  }
  return std::sqrt(variance(medians));
}

std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double q) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (p_values[order[i]] <= q * static_cast<double>(i + 1) / static_cast<double>(order.size())) rejected = i + 1;
  std::vector<bool> result(p_values.size(), false);
  for (std::size_t i = 0; i < rejected; ++i) result[order[i]] = true;
  return result;
}

}  // namespace moescope

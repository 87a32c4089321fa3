#pragma once
// SPDX-License-Identifier: Apache-2.0
// The statistics a gate needs, on plain numbers: Student's t, the block bootstrap of a median, and the control of false
// discoveries over many metrics. Deterministic: the bootstrap's seed is given.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace moescope {

double mean(std::span<const double> values);
// Sample variance (n - 1); 0 for fewer than two values.
double variance(std::span<const double> values);

// P(T > t) for Student's t with df degrees of freedom; df infinite: the normal distribution.
double t_upper_tail(double t, double df);
// The t that leaves `tail` above it, 0 < tail < 1.
double t_quantile_upper(double tail, double df);

// How many neighbouring values hang together: the integrated autocorrelation length, at least the cube root of n.
std::size_t block_length(std::span<const double> series);
// Standard error of the median of a series whose neighbours are correlated: circular blocks, drawn with replacement.
double median_standard_error(std::span<const double> series, std::size_t block, std::size_t rounds, std::uint64_t seed);

// Benjamini-Hochberg: which of the hypotheses are rejected so that the expected share of false ones among them stays
// below q.
std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double q);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Did the head get worse than the base, by more than a budget? Each figure's effect gets an interval; a regression must
// be beyond the budget for sure, a pass must be below it for sure, and the rest is inconclusive.
//
// A run's value of a figure is the median over its steps; an effect is the difference of the means of run values.
//   step_ns, stage_time_ns     log-ratios, where all values are above zero
//   exposed times, and stage times where a value is zero   differences, as a share of the base's step time
//   hidden_fraction            differences, in points
// Budgets are shares of the base's step time (0.01: 1 %), of a fraction: points (0.005: 0.5 points).
// The uncertainty of an effect:
//   exact     all runs lie on a virtual clock and a side has fewer than three: such a run repeats to the nanosecond
//   measured  three or more runs a side: variation between runs, Student's t with n - 1 degrees of freedom (n: the
//             smaller side), never below what a block bootstrap over the steps within runs gives
//   assumed   fewer: how runs differ isn't known, so each is taken to be off by kAssumedRunSd of the step time (more
//             than well-kept machines show) beside the bootstrap. A small effect is then inconclusive, never a pass by
//             luck; one far beyond that is still a regression.
// Regress: the hypothesis "harm <= budget" is rejected with false discoveries held at q over all figures. Pass: the
// one-sided 95 % upper end of the harm is below the budget, so that an improvement passes.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/compare/run_sample.h"

namespace moescope {

inline constexpr double kAssumedRunSd = 0.02;
inline constexpr double kAssumedStepSd = 0.05;      // of one step, where there are too few steps to resample
inline constexpr std::size_t kStepsToResample = 8;  // fewer steps than this
inline constexpr double kFalseDiscoveryRate = 0.005;

enum class Verdict { kPass, kRegress, kInconclusive };
std::string_view name(Verdict verdict);

// Which figures are held to which budget. An empty stage or pass stands for every one.
struct GateRule {
  Compared compared = Compared::kStepTime;
  std::optional<Stage> stage;
  std::optional<Pass> pass;
  double budget = 0.01;
};
// Step time 1 % of the step; exposed communication, in all and of each stage, 0.5 points of it. A stage's own time is
// held to nothing: longer work that stays hidden does no harm, and where it isn't hidden the step shows it.
std::span<const GateRule> default_rules();
// One rule a figure, for who wants to see them all.
std::span<const GateRule> all_figures();

enum class Basis { kExact, kMeasured, kAssumed };
std::string_view name(Basis basis);

struct GateRow {
  SeriesKey key;
  double base = 0, head = 0;  // means of run values: ns, or a fraction for hidden_fraction
  double effect = 0;          // head against base, relative (0.03: 3 % more), or points for hidden_fraction
  // Harm as the budget counts it (share of the base's step, or points), above zero is worse; 95 % one-sided ends.
  double harm = 0, harm_low = 0, harm_high = 0;
  double budget = 0;
  double p = 1;  // of "harm <= budget"
  Verdict verdict = Verdict::kInconclusive;
};
struct GateResult {
  Verdict verdict = Verdict::kInconclusive;
  Basis basis = Basis::kMeasured;
  std::size_t base_runs = 0, head_runs = 0;
  double base_step_ns = 0;
  std::vector<GateRow> rows;
};

// The runs must match (structural_mismatch). Later rules replace earlier ones for the figures they name.
GateResult gate(std::span<const RunSample> base, std::span<const RunSample> head, std::span<const GateRule> rules);

}  // namespace moescope

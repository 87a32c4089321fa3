// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/gate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/compare/sample_stats.h"
#include "analyzer/metric/rank_figure.h"

namespace moescope {
namespace {

constexpr std::size_t kBootstrapRounds = 200;
constexpr std::uint64_t kBootstrapSeed = 0x6d6f6573636f7065;

constexpr GateRule kDefaultRules[] = {
    {Compared::kStepTime, std::nullopt, std::nullopt, 0.01},
    {Compared::kExposedComm, std::nullopt, std::nullopt, 0.005},
    {Compared::kStageExposed, std::nullopt, std::nullopt, 0.005},
};
constexpr GateRule kAllFigures[] = {
    {Compared::kStepTime, std::nullopt, std::nullopt, 0.01},
    {Compared::kExposedComm, std::nullopt, std::nullopt, 0.005},
    {Compared::kHidden, std::nullopt, std::nullopt, 0.005},
    {Compared::kStageTime, std::nullopt, std::nullopt, 0.01},
    {Compared::kStageExposed, std::nullopt, std::nullopt, 0.005},
};

using Runs = std::span<const RunSample>;

const std::vector<double>& series_of(const RunSample& run, const SeriesKey& key) {
  static const std::vector<double> none;
  const auto found = run.series.find(key);
  return found == run.series.end() ? none : found->second;
}

// The scale a figure is judged on: logarithms, or differences over the base's step time.
struct Scale {
  bool logarithm = false;
  double divisor = 1;
  double sign = 1;  // -1 where more is better
  double of(double value) const { return logarithm ? std::log(value) : value / divisor; }
};

// Run values of one side, and the standard error of their mean that comes from steps varying within runs.
struct SideValues {
  std::vector<double> plain, scaled;
  double within = 0;  // variance of the mean
};

SideValues side_values(Runs runs, const SeriesKey& key, const Scale& scale, bool exact) {
  SideValues side;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::vector<double>& series = series_of(runs[i], key);
    const double middle = median(series);
    side.plain.push_back(middle);
    side.scaled.push_back(scale.of(middle));
    if (exact) continue;
    std::vector<double> scaled;
    for (const double value : series)
      if (!scale.logarithm || value > 0) scaled.push_back(scale.of(value));
    double error;
    if (scaled.size() < kStepsToResample)
      error = kAssumedStepSd / std::sqrt(static_cast<double>(std::max<std::size_t>(scaled.size(), 1)));
    else
      error = median_standard_error(scaled, block_length(scaled), kBootstrapRounds, kBootstrapSeed + i);
    side.within += error * error;
  }
  side.within /= static_cast<double>(runs.size() * runs.size());
  return side;
}

struct Uncertainty {
  double error = 0;
  double df = std::numeric_limits<double>::infinity();
};

Uncertainty uncertainty(const SideValues& base, const SideValues& head, Basis basis, bool many_steps) {
  const double n_base = static_cast<double>(base.scaled.size()), n_head = static_cast<double>(head.scaled.size());
  const double within = base.within + head.within;
  switch (basis) {
    case Basis::kExact:
      return {};
    case Basis::kMeasured: {
      const double between = variance(base.scaled) / n_base + variance(head.scaled) / n_head;
      return {std::sqrt(many_steps ? std::max(between, within) : between), std::min(n_base, n_head) - 1};
    }
    case Basis::kAssumed:
      return {std::sqrt(within + kAssumedRunSd * kAssumedRunSd * (1 / n_base + 1 / n_head)), Uncertainty{}.df};
  }
  return {};
}

bool applies(const GateRule& rule, const SeriesKey& key) {
  return rule.compared == key.compared && (!rule.stage || *rule.stage == key.stage) &&
         (!rule.pass || *rule.pass == key.pass);
}

}  // namespace

std::string_view name(Verdict verdict) {
  return verdict == Verdict::kPass ? "pass" : verdict == Verdict::kRegress ? "regress" : "inconclusive";
}

std::string_view name(Basis basis) {
  return basis == Basis::kExact ? "exact" : basis == Basis::kMeasured ? "measured" : "assumed";
}

std::span<const GateRule> default_rules() {
  return kDefaultRules;
}

std::span<const GateRule> all_figures() {
  return kAllFigures;
}

GateResult gate(Runs base, Runs head, std::span<const GateRule> rules) {
  GateResult result;
  result.base_runs = base.size();
  result.head_runs = head.size();
  const auto all = [&](auto predicate) {
    return std::all_of(base.begin(), base.end(), predicate) && std::all_of(head.begin(), head.end(), predicate);
  };
  const bool is_virtual = all([](const RunSample& run) { return run.virtual_clock; });
  const bool many_runs = std::min(base.size(), head.size()) >= 3;
  const bool many_steps = !is_virtual && all([](const RunSample& run) { return run.steps >= kStepsToResample; });
  result.basis = many_runs ? Basis::kMeasured : is_virtual ? Basis::kExact : Basis::kAssumed;
  std::vector<double> steps;
  for (const RunSample& run : base) steps.push_back(median(series_of(run, {Compared::kStepTime})));
  result.base_step_ns = mean(steps);

  for (const auto& [key, first_series] : base.front().series) {
    const GateRule* rule = nullptr;
    for (const GateRule& one : rules)
      if (applies(one, key)) rule = &one;
    if (rule == nullptr) continue;
    // A stage that a run has only in some steps is compared over those; one that a run lacks is not compared.
    if (!all([&key = key](const RunSample& run) { return !series_of(run, key).empty(); })) continue;
    Scale scale;
    const bool is_fraction = key.compared == Compared::kHidden;
    scale.sign = is_fraction ? -1 : 1;
    scale.logarithm = (key.compared == Compared::kStepTime || key.compared == Compared::kStageTime) &&
                      all([&key = key](const RunSample& run) { return median(series_of(run, key)) > 0; });
    scale.divisor = is_fraction ? 1 : result.base_step_ns;
    const bool resample = !is_virtual && result.base_step_ns > 0;
    const SideValues base_side = side_values(base, key, scale, !resample);
    const SideValues head_side = side_values(head, key, scale, !resample);
    const Uncertainty spread = uncertainty(base_side, head_side, result.basis, many_steps);

    GateRow row;
    row.key = key;
    row.base = mean(base_side.plain);
    row.head = mean(head_side.plain);
    row.budget = rule->budget;
    const double effect = scale.sign * (mean(head_side.scaled) - mean(base_side.scaled));
    // On the log scale a budget that is a share of the step becomes a ratio of the figure itself.
    const double share = row.base / result.base_step_ns;
    const double budget = scale.logarithm ? std::log1p(row.budget / share) : row.budget;
    const auto harm = [&](double value) { return scale.logarithm ? std::expm1(value) * share : value; };
    const double reach = spread.error > 0 ? t_quantile_upper(0.05, spread.df) * spread.error : 0;
    row.harm = harm(effect);
    row.harm_low = harm(effect - reach);
    row.harm_high = harm(effect + reach);
    row.effect = is_fraction ? row.head - row.base : row.base > 0 ? row.head / row.base - 1 : 0;
    row.p = spread.error > 0 ? t_upper_tail((effect - budget) / spread.error, spread.df) : effect > budget ? 0 : 1;
    row.verdict = row.harm_high < row.budget ? Verdict::kPass : Verdict::kInconclusive;
    result.rows.push_back(row);
  }

  std::vector<double> p_values;
  for (const GateRow& row : result.rows) p_values.push_back(row.p);
  const std::vector<bool> rejected = benjamini_hochberg(p_values, kFalseDiscoveryRate);
  bool inconclusive = result.rows.empty();
  bool regress = false;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    GateRow& row = result.rows[i];
    if (rejected[i]) row.verdict = Verdict::kRegress;
    regress = regress || row.verdict == Verdict::kRegress;
    inconclusive = inconclusive || row.verdict == Verdict::kInconclusive;
  }
  result.verdict = regress ? Verdict::kRegress : inconclusive ? Verdict::kInconclusive : Verdict::kPass;
  return result;
}

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// THE list of metrics. Reports, gates, views and the table in README.md all iterate it: a new figure is a row here and
// the family that computes it.

#include <span>
#include <string>
#include <string_view>

#include "analyzer/metric/analysis.h"
#include "analyzer/metric/rank_figure.h"

namespace moescope {

// What one figure is about; the name is its section in a report.
enum class Grain {
  kCoverage,
  kRank,
  kStage,
  kAnnotation,
  kPass,
  kStep,
  kLayer,
  kWaves,
  kWave,
  kArrival,
  kCollective,
  kRouter,
  kRouterLayer,
  kBound
};
std::string_view section(Grain grain);  // "ranks", "router.layers", ...
// How many rows an analysis has at a grain (devices for kRank).
std::size_t row_count(const Analysis& analysis, Grain grain);

struct Metric {
  std::string_view id, unit;  // unit "1": a ratio, a fraction or a number
  Better better = Better::kNeither;
  Grain grain = Grain::kRank;
  bool per_device = false;  // each row has one value a device: shown as median, worst and whose that is
  std::string_view summary;
  // row: of its grain; device: index into Selection::devices (0 where not per_device). An abstention with an empty
  // reason means that the figure has no meaning there, such as the hidden share of a compute stage.
  Answer<double> (*evaluate)(const Analysis& analysis, std::size_t row, std::size_t device) = nullptr;
};

std::span<const Metric> metrics();
const Metric* find_metric(Grain grain, std::string_view id);
// "ranks.exposed_comm_ns": how abstentions and the README name it.
std::string qualified_id(const Metric& metric);

// evaluate, with what isn't finite turned into an abstention.
Answer<double> evaluate(const Metric& metric, const Analysis& analysis, std::size_t row, std::size_t device = 0);
// A per_device metric over the devices that have it; abstains with the first reason where none has.
Answer<RankFigure> evaluate_over_ranks(const Metric& metric, const Analysis& analysis, std::size_t row);

}  // namespace moescope

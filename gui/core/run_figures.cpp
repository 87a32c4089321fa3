// SPDX-License-Identifier: Apache-2.0
#include "gui/core/run_figures.h"

#include <fmt/format.h>

#include <cmath>

#include "gui/core/time_text.h"

namespace moescope::gui {

RunFigures run_figures(const Analysis& analysis) {
  const Metric& exposed = *find_metric(Grain::kRank, "exposed_comm_ns");
  const Metric& hidden = *find_metric(Grain::kRank, "hidden_fraction");
  const Metric& step = *find_metric(Grain::kStep, "step_ns");
  RunFigures run;
  run.per_step = analysis.selection.per_step;
  for (std::size_t i = 0; i < analysis.selection.devices.size(); ++i)
    run.devices.push_back(
        {analysis.selection.devices[i].device, evaluate(exposed, analysis, 0, i), evaluate(hidden, analysis, 0, i)});
  std::vector<double> steps;
  for (std::size_t row = 0; row < analysis.steps.size(); ++row)
    if (const auto figure = evaluate_over_ranks(step, analysis, row)) steps.push_back(figure->worst);
  if (!steps.empty()) run.step = median(std::move(steps));
  run.exposed = evaluate_over_ranks(exposed, analysis, 0);
  run.hidden = evaluate_over_ranks(hidden, analysis, 0);
  return run;
}

std::string metric_text(const Metric& metric, double value) {
  if (metric.unit == "ns") return duration_text(value);
  if (metric.unit == "B" || metric.unit == "FLOP") return amount_text(value, metric.unit);
  if (metric.unit == "1" && metric.id.ends_with("fraction")) return percent_text(value);
  if (metric.unit == "1")
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  return fmt::format("{:.3g} {}", value, metric.unit);
}

}  // namespace moescope::gui

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/metric/metrics.h"
#include "analyzer/report/text_table.h"

namespace moescope {
namespace {

constexpr double kControlThatMatters = 0.05;  // of communication time

// What exposed time is a share of: the step's own length where it was recorded, else the span of its work. A host that
// runs ahead of its device ends its steps early, so the longer of the two counts.
struct Whole {
  double ns = 0;
  std::string words;
};
Whole whole(const Analysis& analysis) {
  const Metric& step = *find_metric(Grain::kStep, "step_ns");
  std::vector<double> lengths;
  for (std::size_t row = 0; row < analysis.steps.size(); ++row)
    if (const auto figure = evaluate_over_ranks(step, analysis, row)) lengths.push_back(figure->worst);
  const double span = evaluate_over_ranks(*find_metric(Grain::kRank, "span_ns"), analysis, 0)->median;
  const double length = lengths.empty() ? 0 : median(std::move(lengths));
  if (!analysis.selection.per_step) return {span, "of the recorded time"};
  return {std::max(span, length), analysis.steps.size() == 1 ? "of the step" : "of each step"};
}

// Of a run that is router counts alone.
std::string router_sentence(const Analysis& analysis) {
  const RouterLayer* worst = nullptr;
  for (const RouterLayer& layer : analysis.router.layers)
    if (layer.max_over_mean && (worst == nullptr || *layer.max_over_mean > *worst->max_over_mean)) worst = &layer;
  std::string text = fmt::format("Router counts of {} layer{}, no timeline.", analysis.router.layers.size(),
                                 analysis.router.layers.size() == 1 ? "" : "s");
  if (analysis.router.synthetic) return text + " Routing was forced or looks so: nothing follows on balance.";
  if (worst != nullptr)
    text += fmt::format(" The busiest expert gets {:.2f} times the mean{}.", *worst->max_over_mean,
                        worst->layer.valid() ? fmt::format(" (layer {})", worst->layer.value) : std::string());
  return text;
}

// Of a run that is a placement alone.
std::string placement_sentence(const Trace& trace) {
  std::set<std::int32_t> layers, experts, ranks;
  for (const ExpertPlacement& one : trace.expert_placements) {
    layers.insert(one.layer);
    experts.insert(one.logical);
    ranks.insert(one.rank.value);
  }
  return fmt::format(
      "A placement of {} experts on {} ranks in {} layer{}, no timeline. Name the router's counts beside it to see "
      "what "
      "it does to balance.",
      experts.size(), ranks.size(), layers.size(), layers.size() == 1 ? "" : "s");
}

}  // namespace

std::string verdict_sentence(const Trace& trace, const Analysis& analysis) {
  if (analysis.selection.devices.empty() && analysis.router.layers.empty() && !trace.expert_placements.empty())
    return placement_sentence(trace);
  if (analysis.selection.devices.empty())
    return analysis.router.layers.empty() || !analysis.selection.scope.everything()
               ? "No GPU or execution work is in this scope."
               : router_sentence(analysis);
  const auto comm = evaluate_over_ranks(*find_metric(Grain::kRank, "comm_ns"), analysis, 0);
  if (!comm) return "How much is communication can't be told: " + comm.reason() + ".";
  if (comm->worst <= 0) return "No communication was recognised in this scope.";
  const auto exposed = evaluate_over_ranks(*find_metric(Grain::kRank, "exposed_comm_ns"), analysis, 0);
  const auto hidden = evaluate_over_ranks(*find_metric(Grain::kRank, "hidden_fraction"), analysis, 0);
  const Whole of = whole(analysis);
  if (!exposed || !hidden)
    return fmt::format("{} {} is communication; how much of it is exposed can't be told: {}.",
                       of.ns > 0 ? percent_text(comm->median / of.ns) : std::string("?"), of.words,
                       (exposed ? hidden : exposed).reason());
  const bool several = analysis.selection.devices.size() > 1;
  const auto share = [&of](double ns) { return of.ns > 0 ? percent_text(ns / of.ns) : std::string("?"); };
  std::string text = fmt::format("{} {} is exposed communication: {} of {}{}.", share(exposed->median), of.words,
                                 time_text(exposed->median), time_text(of.ns), several ? " on the median rank" : "");
  if (several && exposed->worst > exposed->median)
    text += fmt::format(" Worst is rank {} with {}, {}.", exposed->worst_rank.value, time_text(exposed->worst),
                        share(exposed->worst));
  text += split_phases(analysis)
              ? " Its exchanges are launched in halves: see below for what is in flight between them."
              : fmt::format(" {} of communication is hidden.", percent_text(hidden->median));
  return text;
}

bool split_phases(const Analysis& analysis) {
  return std::any_of(analysis.waiting.begin(), analysis.waiting.end(),
                     [](const Waiting& waiting) { return waiting.split.found; });
}

std::string control_sentence(const Analysis& analysis) {
  const auto comm = evaluate_over_ranks(*find_metric(Grain::kRank, "comm_ns"), analysis, 0);
  const auto control = evaluate_over_ranks(*find_metric(Grain::kRank, "comm_control_ns"), analysis, 0);
  if (!comm || !control || comm->median <= 0 || control->median < kControlThatMatters * comm->median) return "";
  return fmt::format(
      "Control is {} of communication: notify, layout and barrier kernels, which move no payload but agree "
      "on counts and wait for the other ranks to arrive.",
      percent_text(control->median / comm->median));
}

}  // namespace moescope

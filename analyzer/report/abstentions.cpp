// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/abstentions.h"

#include <algorithm>

#include "analyzer/report/sections.h"

namespace moescope {
namespace {

bool said(const Trace& trace, const char* code) {
  return std::any_of(trace.diagnostics.begin(), trace.diagnostics.end(),
                     [code](const Diagnostic& one) { return one.code == code; });
}

}  // namespace

std::vector<Abstention> abstentions(const ReportInput& input) {
  const Trace& trace = input.trace;
  const Analysis& analysis = input.analysis;
  std::vector<Abstention> list;
  const auto add = [&list](const std::string& metric, const std::string& reason) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const Abstention& one) { return one.metric == metric && one.reason == reason; });
    if (!known && !reason.empty()) list.push_back({metric, reason});
  };
  for (const Metric& metric : metrics()) {
    const std::string id = qualified_id(metric);
    for (std::size_t row = 0; row < row_count(analysis, metric.grain); ++row) {
      if (metric.grain == Grain::kRank) {
        const auto answer = evaluate(metric, analysis, row, row);
        if (!answer) add(id, answer.reason());
      } else if (metric.per_device) {
        const auto answer = evaluate_over_ranks(metric, analysis, row);
        if (!answer) add(id, answer.reason());
      } else {
        const auto answer = evaluate(metric, analysis, row);
        if (!answer) add(id, answer.reason());
      }
    }
  }
  if (analysis.selection.devices.empty()) add("ranks", "no GPU or execution records in this scope");
  if (analysis.bounds.empty()) add("bound", "no dispatch, combine or expert work in this scope");
  if (analysis.router.layers.empty() && !analysis.router.dropped_fraction)
    add("router.layers", analysis.router.dropped_fraction.reason());
  const Structure& structure = input.attribution.structure;
  if (!analysis.selection.per_step)
    add("steps", analysis.selection.asked == Per::kWindow
                     ? std::string("figures were asked for the whole window")
                     : (structure.step_fact.evidence.empty() ? std::string("no work is marked with a step")
                                                             : structure.step_fact.evidence) +
                           ": figures are for the whole window");
  if (analysis.annotations.empty() && said(trace, "no_launch_side"))
    add("annotations", "the record holds no calls that launch its device work, so no range can claim any");
  if (analysis.layers.empty())
    add("layers",
        structure.layer_fact.evidence.empty() ? "no work is marked with a layer" : structure.layer_fact.evidence);
  for (const CommBound& bound : analysis.bounds)
    if (!bound.tier) add("bounds.tier", bound.tier.reason());
  if (!trace.model || trace.model->synthetic_routing < 0)
    add("run.synthetic_routing", "the record does not say whether routing was real or forced");
  add("overhead", "the recorder's own cost is not evaluated in this version");
  // They count as compute; when they move what, only a device trace tells.
  std::size_t fused = 0;
  for (const Waiting& device : analysis.waiting) fused += device.fused_spans;
  if (fused > 0)
    add("communication within fused kernels",
        std::to_string(fused) + " spans compute and communicate at once: what they move is in no communication figure");
  for (const Section& section : sections())
    if (section.abstain) section.abstain(input, list);
  return list;
}

}  // namespace moescope

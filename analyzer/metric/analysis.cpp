// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/analysis.h"

namespace moescope {

Analysis analyze(const Trace& trace, const Attribution& attribution, const Scope& scope, Definition definition,
                 Per per) {
  Analysis analysis;
  analysis.definition = definition;
  analysis.selection = select(trace, attribution, scope, per);
  const Selection& selection = analysis.selection;
  for (const DeviceRows& device : selection.devices) {
    analysis.ranks.push_back(overlap(trace, attribution, selection, device, definition));
    analysis.waiting.push_back(waiting(trace, attribution, selection, device));
  }
  analysis.comm_rows = comm_rows(trace, attribution, selection, definition);
  analysis.stages = stage_table(trace, attribution, selection, definition);
  analysis.annotations = annotation_table(trace, attribution, selection, definition);
  analysis.steps = step_table(trace, attribution, selection, definition);
  analysis.layer_instances = layer_instances(trace, attribution, selection);
  analysis.layers = layer_table(trace, attribution, selection, analysis.layer_instances, definition);
  analysis.waves = wave_summary(analysis.layer_instances, selection.devices.size());
  analysis.router = router_balance(trace, selection, analysis.layer_instances);
  analysis.bounds = comm_bounds(trace, attribution, selection, analysis.layer_instances);
  analysis.coverage = coverage(trace, attribution, selection);
  analysis.collectives = collective_rates(trace, selection);
  analysis.arrivals = arrivals(trace, attribution, selection);
  if (analysis.arrivals.clocks && analysis.arrivals.clocks->fitted)
    analysis.coverage.clock_residual_p95_ns = static_cast<double>(analysis.arrivals.clocks->residual_p95);
  return analysis;
}

}  // namespace moescope

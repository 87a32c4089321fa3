// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/analysis.h"

#include "analyzer/metric/work.h"

namespace moescope {

Analysis analyze(const Trace& trace, const Attribution& attribution, const Scope& scope, Definition definition,
                 Per per) {
  Analysis analysis;
  analysis.definition = definition;
  analysis.selection = select(trace, attribution, scope, per);
  const Selection& selection = analysis.selection;
  const Work work = work_of(trace, attribution, selection, definition);
  for (const DeviceWork& device : work.devices) {
    analysis.ranks.push_back(overlap(work, device));
    analysis.waiting.push_back(waiting(work, device));
  }
  analysis.comm_rows = comm_rows(work);
  analysis.stages = stage_table(work);
  analysis.annotations = annotation_table(work);
  analysis.steps = step_table(work);
  analysis.layer_instances = layer_instances(work);
  analysis.layers = layer_table(work, analysis.layer_instances);
  analysis.waves = wave_summary(analysis.layer_instances, selection.devices.size());
  analysis.router = router_balance(trace, selection, analysis.layer_instances);
  analysis.bounds = comm_bounds(work, analysis.layer_instances);
  analysis.coverage = coverage(trace, attribution, selection);
  analysis.collectives = collective_rates(trace, selection);
  analysis.arrivals = arrivals(work);
  if (analysis.arrivals.clocks && analysis.arrivals.clocks->fitted)
    analysis.coverage.clock_residual_p95_ns = static_cast<double>(analysis.arrivals.clocks->residual_p95);
  return analysis;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/analysis.h"

#include "analyzer/metric/device_figures.h"

namespace moescope {

Analysis analyze(const Trace& trace, const Attribution& attribution, const Scope& scope, Definition definition,
                 Per per) {
  Analysis analysis;
  analysis.definition = definition;
  analysis.selection = select(trace, attribution, scope, per);
  const Selection& selection = analysis.selection;
  const Work work = work_of(trace, attribution, selection, definition);
  const std::size_t devices = selection.devices.size();
  std::vector<DeviceComm> comm;
  std::vector<std::vector<StagePart>> stages;
  std::vector<std::map<std::int32_t, AnnotationCell>> annotations;
  std::vector<std::vector<StepCell>> steps;
  std::vector<std::map<LayerId, Exposure>> layers;
  std::vector<BoundSums> bounds;
  std::vector<CallLists> calls;
  for (DeviceFigures& its : all_device_figures(work)) {
    analysis.ranks.push_back(its.overlap);
    analysis.waiting.push_back(std::move(its.waiting));
    comm.push_back(std::move(its.comm));
    stages.push_back(std::move(its.stages));
    annotations.push_back(std::move(its.annotations));
    steps.push_back(std::move(its.steps));
    layers.push_back(std::move(its.layers));
    analysis.layer_instances.push_back(std::move(its.instances));
    bounds.push_back(std::move(its.bounds));
    calls.push_back(std::move(its.calls));
  }
  analysis.comm_rows = comm_rows(comm);
  analysis.stages = stage_table(stages);
  analysis.annotations = annotation_table(trace, annotations);
  analysis.steps = step_table(work, std::move(steps));
  analysis.layers = layer_table(layers, analysis.layer_instances);
  analysis.waves = wave_summary(analysis.layer_instances, devices);
  analysis.router = router_balance(trace, selection, analysis.layer_instances);
  analysis.bounds = comm_bounds(trace, selection, bounds, analysis.layer_instances);
  analysis.coverage = coverage(trace, attribution, selection);
  analysis.collectives = collective_rates(trace, selection);
  analysis.arrivals = arrivals(trace, selection, calls);
  if (analysis.arrivals.clocks && analysis.arrivals.clocks->fitted)
    analysis.coverage.clock_residual_p95_ns = static_cast<double>(analysis.arrivals.clocks->residual_p95);
  return analysis;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/device_figures.h"

namespace moescope {

DeviceFigures device_figures(const Work& work, std::size_t device) {
  const DeviceWork its(work, device);
  const SpanTable& spans = work.trace.spans;
  DeviceFigures figures;
  CommSums comm;
  StageSums stages;
  StepSums steps(its);
  LayerSums layers;
  InstanceSums instances(its);
  its.each_row([&](const WorkRow& row) {
    comm.add(row);
    stages.add(spans, row);
    steps.add(spans, row);
    layers.add(row);
    instances.add(row);
    figures.bounds.add(spans, row);
    figures.calls.add(work.trace, row);
  });
  figures.overlap = overlap(its);
  figures.waiting = waiting(its);
  figures.comm = {comm.passes(work.definition), comm.waves(work.definition)};
  figures.stages = stages.parts(work.definition);
  figures.annotations = annotation_cells(its);
  figures.steps = steps.cells(work.definition);
  figures.layers = layers.exposures(work.definition);
  figures.instances = instances.instances();
  return figures;
}

}  // namespace moescope

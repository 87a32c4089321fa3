// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/device_figures.h"

#include "analyzer/model/parallel.h"

namespace moescope {

DeviceFigures device_figures(const DeviceWork& device) {
  const Trace& trace = device.work.trace;
  const Definition definition = device.work.definition;
  DeviceFigures figures;
  CommSums comm;
  StageSums stages;
  StepSums steps(device);
  LayerSums layers;
  InstanceSums instances(device);
  // Where no two steps run at once, a stage's figures are the sums of what it is in each.
  const bool apart =
      device.work.selection.per_step && device.step_spans.intervals().size() == device.chosen->steps.size();
  device.each_row([&](const WorkRow& row) {
    comm.add(row);
    if (!apart) stages.add(trace.spans, row);
    steps.add(trace.spans, row);
    layers.add(row);
    instances.add(row);
    figures.bounds.add(trace.spans, row);
    figures.calls.add(trace, row);
  });
  figures.overlap = overlap(device);
  figures.waiting = waiting(device);
  figures.comm = {comm.passes(definition), comm.waves(definition)};
  figures.annotations = annotation_cells(device);
  figures.steps = steps.cells(definition);
  figures.stages = apart ? sum_of_steps(figures.steps) : stages.parts(definition);
  figures.layers = layers.exposures(definition);
  figures.instances = instances.instances();
  return figures;
}

std::vector<DeviceFigures> all_device_figures(const Work& work) {
  std::vector<DeviceFigures> figures(work.selection.devices.size());
  each_in_parallel(figures.size(), work.trace.spans.size(), [&] {
    return [&, device = DeviceWork(work)](std::size_t index) mutable {
      device.load(index);
      figures[index] = device_figures(device);
    };
  });
  return figures;
}

}  // namespace moescope

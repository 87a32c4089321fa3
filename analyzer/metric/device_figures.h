#pragma once
// SPDX-License-Identifier: Apache-2.0
// All that one device adds to an analysis, from two walks over its work. Devices know nothing of each other here, so
// that they may be worked out at the same time; the tables over devices are put together afterwards.

#include "analyzer/metric/annotation_table.h"
#include "analyzer/metric/collective_match.h"
#include "analyzer/metric/comm_bound.h"
#include "analyzer/metric/comm_rows.h"
#include "analyzer/metric/layer_table.h"
#include "analyzer/metric/overlap.h"
#include "analyzer/metric/stage_table.h"
#include "analyzer/metric/step_table.h"
#include "analyzer/metric/waiting.h"

namespace moescope {

struct DeviceFigures {
  Overlap overlap;
  Waiting waiting;
  DeviceComm comm;
  std::vector<StagePart> stages;
  std::map<std::int32_t, AnnotationCell> annotations;
  std::vector<StepCell> steps;
  std::map<LayerId, Exposure> layers;
  std::vector<LayerInstance> instances;
  BoundSums bounds;
  CallLists calls;
};
DeviceFigures device_figures(const DeviceWork& device);
// One a device of the selection, on all cores.
std::vector<DeviceFigures> all_device_figures(const Work& work);

}  // namespace moescope

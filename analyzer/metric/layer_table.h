#pragma once
// SPDX-License-Identifier: Apache-2.0
// Layer by layer: the instances of each MoE layer (one a rank, step, micro-batch and pass), their expert compute and
// their token traffic, and how the waves inside follow each other. Uses the role of work, not the kernel it ran as.

#include <optional>
#include <vector>

#include "analyzer/metric/overlap.h"

namespace moescope {

struct LayerInstance {
  std::size_t device = 0;  // index into Selection::devices
  StepId step;
  LayerId layer;
  MicroBatchId micro_batch;
  Pass pass = Pass::kUNKNOWN;
  Interval extent;         // first start to last end of its MoE work
  Interval expert_extent;  // the same of its expert compute; empty without any
  Ns expert_compute = 0;   // length of l1, act, l2
  Ns payload = 0;          // of dispatch and combine, without control
  bool serial = true;      // no expert compute runs while tokens move: the stages follow one another
  std::size_t waves = 0;   // distinct wave marks; 0: not marked
  std::size_t depth = 0;   // most waves begun and not yet ended at one time
  Ns fill() const { return expert_compute == 0 ? 0 : expert_extent.begin - extent.begin; }
  Ns drain() const { return expert_compute == 0 ? 0 : extent.end - expert_extent.end; }
};

struct LayerCell {
  Exposure exposure;  // all communication marked with the layer
  Ns expert_compute = 0, payload = 0;
};
struct LayerRow {
  LayerId layer;
  std::vector<std::optional<LayerCell>> cells;  // as Selection::devices
};

// Only instances that have dispatch, combine or expert compute; ascending by device, step, layer, micro-batch, pass.
std::vector<LayerInstance> layer_instances(const Work& work);
std::vector<LayerRow> layer_table(const Work& work, const std::vector<LayerInstance>& instances);

}  // namespace moescope

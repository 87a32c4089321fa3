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
  Interval extent;             // first start to last end of its MoE work
  IntervalSet expert_compute;  // l1, act, l2
  IntervalSet payload;         // dispatch and combine, without control
  std::size_t waves = 0;       // distinct wave marks; 0: not marked
  std::size_t depth = 0;       // most waves begun and not yet ended at one time
  Ns fill() const { return expert_compute.empty() ? 0 : expert_compute.hull().begin - extent.begin; }
  Ns drain() const { return expert_compute.empty() ? 0 : extent.end - expert_compute.hull().end; }
  // No expert compute runs while tokens move: the stages follow one another.
  bool serial() const { return payload.intersect(expert_compute).empty(); }
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
std::vector<LayerInstance> layer_instances(const Trace& trace, const Attribution& attribution,
                                           const Selection& selection);
std::vector<LayerRow> layer_table(const Trace& trace, const Attribution& attribution, const Selection& selection,
                                  const std::vector<LayerInstance>& instances, Definition definition);

}  // namespace moescope

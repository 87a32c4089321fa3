#pragma once
// SPDX-License-Identifier: Apache-2.0
// Layer by layer: the instances of each MoE layer (one a rank, step, micro-batch and pass), their expert compute and
// their token traffic, and how the waves inside follow each other. Uses the role of work, not the kernel it ran as.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/metric/comm_rows.h"

namespace moescope {

inline constexpr StageSet kTokenStages = StageSet(Stage::kDISPATCH) | Stage::kCOMBINE;

struct LayerInstance {
  std::uint32_t device = 0;  // index into Selection::devices
  StepId step;
  LayerId layer;
  MicroBatchId micro_batch;
  Pass pass = Pass::kUNKNOWN;
  bool serial = true;       // no expert compute runs while tokens move: the stages follow one another
  std::uint32_t waves = 0;  // distinct wave marks; 0: not marked
  std::uint32_t depth = 0;  // most waves begun and not yet ended at one time
  Interval extent;          // first start to last end of its MoE work
  Interval expert_extent;   // the same of its expert compute; empty without any
  Ns expert_compute = 0;    // length of l1, act, l2
  Ns payload = 0;           // of dispatch and combine, without control
  Ns payload_end = std::numeric_limits<Ns>::min();  // end of the last of that
  Ns fill() const { return expert_compute == 0 ? 0 : expert_extent.begin - extent.begin; }
  Ns drain() const { return expert_compute == 0 ? 0 : extent.end - expert_extent.end; }
};

// The instances of one device that have dispatch, combine or expert compute.
class InstanceSums {
 public:
  explicit InstanceSums(const DeviceWork& device);
  void add(const WorkRow& row) {
    const bool expert = kExpertStages.contains(row.role), tokens = kTokenStages.contains(row.role);
    if (expert || tokens) take(row, expert, tokens && !row.control);
  }
  std::vector<LayerInstance> instances();  // ascending by step, layer, micro-batch, pass; done with it

 private:
  void take(const WorkRow& row, bool expert, bool payload);
  LayerInstance* instance_of(const WorkRow& row);
  const Work& work_;
  std::uint32_t device_;
  std::vector<LayerInstance> instances_;
  // Index into instances_ by instance and pass, -1 none; a hash where a table would be larger than the device's rows.
  std::vector<std::int32_t> table_;
  std::unordered_map<std::int64_t, std::int32_t> hash_;
  std::vector<std::vector<std::pair<WaveId, Interval>>> waves_;  // as instances_; empty where no wave is marked
};

struct LayerCell {
  Exposure exposure;  // all communication marked with the layer
  Ns expert_compute = 0, payload = 0;
};
struct LayerRow {
  LayerId layer;
  std::vector<std::optional<LayerCell>> cells;  // as Selection::devices
};

// Communication of one device by layer.
class LayerSums {
 public:
  void add(const WorkRow& row) {
    const LayerId layer = row.place->layer;
    if (!layer.valid()) return;
    Sum& sum = layer.value < kUsual ? usual(static_cast<std::size_t>(layer.value)) : others_[layer];
    sum.any = true;
    if (row.hidden != nullptr) sum.exposure.add(*row.hidden);
  }
  std::map<LayerId, Exposure> exposures(Definition definition) const;  // of a layer without communication too

 private:
  struct Sum {
    bool any = false;
    ExposureSum exposure;
  };
  static constexpr std::int32_t kUsual = 1024;  // layers that are told apart by a look into a table
  Sum& usual(std::size_t layer) {
    if (layer >= usual_.size()) usual_.resize(layer + 1);
    return usual_[layer];
  }
  std::vector<Sum> usual_;
  std::map<LayerId, Sum> others_;
};

using LayerInstances = std::vector<std::vector<LayerInstance>>;  // as Selection::devices
std::vector<LayerRow> layer_table(const std::vector<std::map<LayerId, Exposure>>& devices,
                                  const LayerInstances& instances);

}  // namespace moescope

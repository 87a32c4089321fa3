#pragma once
// SPDX-License-Identifier: Apache-2.0
// Communication and what hides it, by pass and by wave; one cell a device.

#include <map>
#include <optional>
#include <vector>

#include "analyzer/metric/work.h"

namespace moescope {

inline constexpr StageSet kExpertStages = StageSet(Stage::kL1) | Stage::kACT | Stage::kL2;

struct CommCell {
  Exposure exposure;
  Ns expert_compute = 0;  // l1, act, l2 of the same pass or wave
};
struct PassRow {
  Pass pass = Pass::kUNKNOWN;
  std::vector<std::optional<CommCell>> cells;  // as Selection::devices
};
struct WaveRow {
  WaveId wave;  // over all layers and steps
  std::vector<std::optional<CommCell>> cells;
};
struct CommRows {
  std::vector<PassRow> passes;  // empty where no pass is known
  std::vector<WaveRow> waves;   // empty where no work is marked with a wave
};
// One device's.
class CommSums {
 public:
  void add(const WorkRow& row) {
    const bool expert = kExpertStages.contains(row.role);
    if (row.hidden == nullptr && !expert) return;
    passes_[static_cast<std::size_t>(row.pass)].add(row, expert);
    const WaveId wave = row.place->wave;
    if (!wave.valid()) return;
    if (last_ == nullptr || wave != last_wave_) last_ = &waves_[last_wave_ = wave];
    last_->add(row, expert);
  }
  std::map<Pass, CommCell> passes(Definition definition) const;  // known ones
  std::map<WaveId, CommCell> waves(Definition definition) const;

 private:
  struct Sum {
    bool any = false;
    ExposureSum exposure;
    UnionLength expert;
    void add(const WorkRow& row, bool is_expert) {
      any = true;
      if (row.hidden != nullptr) exposure.add(*row.hidden);
      if (is_expert) expert.add(row.interval);
    }
  };
  Sum passes_[MOESCOPE_PASS_COUNT];
  std::map<WaveId, Sum> waves_;
  WaveId last_wave_;
  Sum* last_ = nullptr;  // in waves_
};

struct DeviceComm {
  std::map<Pass, CommCell> passes;
  std::map<WaveId, CommCell> waves;
};
CommRows comm_rows(const std::vector<DeviceComm>& devices);

}  // namespace moescope

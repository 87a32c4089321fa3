#pragma once
// SPDX-License-Identifier: Apache-2.0
// Communication and what hides it, by pass and by wave; one cell a device.

#include <optional>
#include <vector>

#include "analyzer/metric/overlap.h"

namespace moescope {

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
CommRows comm_rows(const Work& work);

}  // namespace moescope

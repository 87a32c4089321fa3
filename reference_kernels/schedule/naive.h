#pragma once
// SPDX-License-Identifier: Apache-2.0
// The baseline: five stages one after the other, and every rank waits for all ranks after each. Per layer
// T = sum over stages of max over ranks.

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

struct NaiveSchedule {
  EngineMap engines = kLinkCompute;

  constexpr int parts(Stage) const { return 1; }
  static constexpr int wave(Task) { return -1; }  // it has none
  static constexpr int chunk(Task) { return -1; }

  constexpr int size(int engine) const {
    int tasks = 0;
    for (Stage stage : kMoeStages) tasks += engines.engine(stage) == engine ? 1 : 0;
    return tasks;
  }
  constexpr Task at(int engine, int index) const {
    for (Stage stage : kMoeStages) {
      if (engines.engine(stage) == engine && index-- == 0) return {stage, 0};
    }
    return {};
  }
  static constexpr bool follows(Task) { return false; }
  constexpr Waits waits(Task task) const {
    if (task.stage == Stage::kDispatch) return wait_for_previous_layer();
    return wait_for_whole(static_cast<Stage>(static_cast<int>(task.stage) - 1), true);
  }
};

}  // namespace moescope::reference

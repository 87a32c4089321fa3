#pragma once
// SPDX-License-Identifier: Apache-2.0
// The baseline: five stages one after the other, and every rank waits for all ranks after each. Per layer
// T = sum over stages of max over ranks.

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

struct NaiveSchedule {
  EngineMap engines = kLinkCompute;

  constexpr int waves() const { return 1; }
  static constexpr bool has_waves = false;  // its spans carry no wave number

  constexpr int size(int engine) const {
    int tasks = 0;
    for (Stage stage : kAllStages) tasks += engines.engine(stage) == engine ? 1 : 0;
    return tasks;
  }
  constexpr Task at(int engine, int index) const {
    for (Stage stage : kAllStages) {
      if (engines.engine(stage) == engine && index-- == 0) return {stage, 0};
    }
    return {};
  }
  constexpr Wait wait(Task task) const {
    if (task.stage == Stage::kDispatch) return {{Stage::kCombine, 0}, true, true};
    return {{static_cast<Stage>(static_cast<int>(task.stage) - 1), 0}, true, false};
  }
};

}  // namespace moescope::reference

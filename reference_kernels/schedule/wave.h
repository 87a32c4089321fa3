#pragma once
// SPDX-License-Identifier: Apache-2.0
// Experts split into waves that flow through the stages as a pipeline. On the link all dispatches come first, then the
// combines: for equal waves that order reaches the lower bound of every order. A wave is an order, not a barrier: only
// its combine looks at other ranks, because it pulls results from all of them.

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

struct WaveSchedule {
  int wave_count = 1;
  EngineMap engines = kLinkCompute;

  constexpr int waves() const { return wave_count; }
  static constexpr bool has_waves = true;

  constexpr int size(int engine) const {
    int tasks = 0;
    for (Stage stage : kAllStages) tasks += engines.engine(stage) == engine ? wave_count : 0;
    return tasks;
  }
  constexpr Task at(int engine, int index) const {
    const bool activation_apart = engines.engine(Stage::kAct) != engines.engine(Stage::kL1);
    if (engine == engines.engine(Stage::kL1)) {
      if (!activation_apart) return {static_cast<Stage>(static_cast<int>(Stage::kL1) + index % 3), index / 3};
      // L1 runs one wave ahead, so that an activation has the time of one L1: L1_0 L1_1 L2_0 L1_2 L2_1 ... L2_last
      if (index == 0) return {Stage::kL1, 0};
      if (index == 2 * wave_count - 1) return {Stage::kL2, wave_count - 1};
      return index % 2 == 1 ? Task{Stage::kL1, (index + 1) / 2} : Task{Stage::kL2, index / 2 - 1};
    }
    if (engine == engines.engine(Stage::kAct)) return {Stage::kAct, index};
    if (engine == engines.engine(Stage::kDispatch) && index < wave_count) return {Stage::kDispatch, index};
    return {Stage::kCombine, index % wave_count};
  }
  constexpr Wait wait(Task task) const {
    switch (task.stage) {
      case Stage::kDispatch:
        return {{Stage::kCombine, wave_count - 1}, true, true};
      case Stage::kL1:
        return {{Stage::kDispatch, task.wave}, false, false};
      case Stage::kAct:
        return {{Stage::kL1, task.wave}, false, false};
      case Stage::kL2:
        return {{Stage::kAct, task.wave}, false, false};
      case Stage::kCombine:
        return {{Stage::kL2, task.wave}, true, false};
    }
    return {};
  }
};

}  // namespace moescope::reference

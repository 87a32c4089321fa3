#pragma once
// SPDX-License-Identifier: Apache-2.0
// Two overlapped halves with the activation between them. First half: dispatch with L1, cut along tokens, each rank's
// own rows first (they need no wire). Second half: L2 with combine, cut along columns, so that the first columns of all
// experts leave early. On one rank T = max(D + L1/K, L1 + D/K) + A + max(L2 + C/K, C + L2/K).

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

struct CometSchedule {
  int chunks = 1;
  EngineMap engines = kLinkCompute;

  constexpr int parts(Stage stage) const { return stage == Stage::kAct ? 1 : chunks; }
  static constexpr int wave(Task) { return -1; }
  constexpr int chunk(Task task) const { return task.stage == Stage::kAct ? -1 : task.part; }

  constexpr int size(int engine) const {
    int tasks = 0;
    for (Stage stage : kMoeStages) tasks += engines.engine(stage) == engine ? parts(stage) : 0;
    return tasks;
  }
  // Stage by stage on every engine.
  constexpr Task at(int engine, int index) const {
    for (Stage stage : kMoeStages) {
      if (engines.engine(stage) != engine) continue;
      if (index < parts(stage)) return {stage, index};
      index -= parts(stage);
    }
    return {};
  }
  static constexpr bool follows(Task) { return false; }
  constexpr Waits waits(Task task) const {
    switch (task.stage) {
      case Stage::kDispatch:
        return wait_for_previous_layer();
      case Stage::kL1:
        return wait_for(Stage::kDispatch, task.part);
      case Stage::kAct:
        return wait_for_whole(Stage::kL1, false);
      case Stage::kL2:
        return wait_for_whole(Stage::kAct, false);
      case Stage::kCombine:
        return wait_for_all_ranks(Stage::kL2, task.part);
      default:
        return {};
    }
  }
};

}  // namespace moescope::reference

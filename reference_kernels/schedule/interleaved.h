#pragma once
// SPDX-License-Identifier: Apache-2.0
// No waves: after a warm-up of L1 blocks, L2 and L1 alternate block by block. Each block is cut along the experts'
// inner width into slices, and L2 sums over a slice as soon as that slice is there. A block's results are pulled when
// its peers have theirs.

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

struct InterleavedSchedule {
  int blocks = 1;   // of rows, over all local experts
  int slices = 1;   // of the inner width, each block's
  int warm_up = 1;  // L1 blocks before the first L2; 1 <= warm_up <= blocks
  int ring = 0;     // received blocks that may wait for their L1; 0: as many as there are
  EngineMap engines = kLinkCompute;

  constexpr int parts(Stage stage) const { return is_link_stage(stage) ? blocks : blocks * slices; }
  static constexpr int wave(Task) { return -1; }
  static constexpr int chunk(Task) { return -1; }

  constexpr int size(int engine) const {
    int tasks = 0;
    for (Stage stage : kMoeStages) tasks += engines.engine(stage) == engine ? parts(stage) : 0;
    return tasks;
  }
  constexpr Task at(int engine, int index) const {
    if (engine == engines.engine(Stage::kL1)) return compute(index);
    if (engine == engines.engine(Stage::kAct)) return {Stage::kAct, index};
    if (engine == engines.engine(Stage::kDispatch) && index < blocks) return {Stage::kDispatch, index};
    return {Stage::kCombine, index % blocks};
  }
  // An activation is the epilogue of its L1, and slices of a block stay together: they add to one sum.
  constexpr bool follows(Task task) const {
    if (task.stage == Stage::kAct) return engines.engine(Stage::kAct) == engines.engine(Stage::kL1);
    return task.stage == Stage::kL2 && task.part % slices != 0;
  }
  constexpr Waits waits(Task task) const {
    const int block = task.part / slices;
    switch (task.stage) {
      case Stage::kDispatch:
        if (ring > 0 && task.part >= ring)
          return {wait_for_previous_layer(), wait_for(Stage::kL1, (task.part - ring + 1) * slices - 1)};
        return wait_for_previous_layer();
      case Stage::kL1:
        return wait_for(Stage::kDispatch, block);
      case Stage::kAct:
        return wait_for(Stage::kL1, task.part);
      case Stage::kL2:  // slices add to one sum, in their order
        if (task.part % slices == 0) return wait_for(Stage::kAct, task.part);
        return {wait_for(Stage::kAct, task.part), wait_for(Stage::kL2, task.part - 1)};
      case Stage::kCombine:
        return wait_for_all_ranks(Stage::kL2, (task.part + 1) * slices - 1);
      default:
        return {};
    }
  }

 private:
  // Units of a block: L1 (with its activation where that is on the same engine) and L2.
  constexpr Task compute(int index) const {
    const bool activation_here = engines.engine(Stage::kAct) == engines.engine(Stage::kL1);
    const int l1 = slices * (activation_here ? 2 : 1), pair = l1 + slices;
    const int ahead = warm_up * l1, paired = (blocks - warm_up) * pair;
    if (index < ahead) return l1_task(index / l1, index % l1, activation_here);
    index -= ahead;
    if (index >= paired) return {Stage::kL2, (blocks - warm_up) * slices + index - paired};
    const int turn = index / pair, inside = index % pair;
    if (inside < slices) return {Stage::kL2, turn * slices + inside};
    return l1_task(warm_up + turn, inside - slices, activation_here);
  }
  constexpr Task l1_task(int block, int inside, bool activation_here) const {
    if (!activation_here) return {Stage::kL1, block * slices + inside};
    return {inside % 2 == 0 ? Stage::kL1 : Stage::kAct, block * slices + inside / 2};
  }
};

}  // namespace moescope::reference

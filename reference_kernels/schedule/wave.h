#pragma once
// SPDX-License-Identifier: Apache-2.0
// Experts in waves that flow through the stages as a pipeline. A wave is an order, not a barrier: dependencies are per
// part (a block of rows where experts are cut into blocks, else the wave), and only a combine looks at other ranks,
// because it pulls results from all of them. On the link all dispatches come first, as far ahead as the ring of
// received parts allows, then the combines: for equal waves that order reaches the lower bound of every order.

#include "reference_kernels/schedule/cuts.h"
#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

struct WaveSchedule {
  Cuts cuts;
  int ring = 0;  // received parts that may wait for their L1; 0: as many as there are
  EngineMap engines = kLinkCompute;

  constexpr int parts(Stage) const { return cuts.parts(); }
  constexpr int wave(Task task) const { return cuts.wave_of_part(task.part); }
  static constexpr int chunk(Task) { return -1; }

  constexpr int size(int engine) const {
    int tasks = 0;
    for (Stage stage : kMoeStages) tasks += engines.engine(stage) == engine ? cuts.parts() : 0;
    return tasks;
  }
  constexpr Task at(int engine, int index) const {
    if (engine == engines.engine(Stage::kL1)) {
      return engines.engine(Stage::kAct) == engine ? with_activation(index) : one_wave_ahead(index);
    }
    if (engine == engines.engine(Stage::kAct)) return {Stage::kAct, index};
    if (engine == engines.engine(Stage::kDispatch) && index < cuts.parts()) return {Stage::kDispatch, index};
    return {Stage::kCombine, index % cuts.parts()};
  }
  // An activation is the epilogue of its L1.
  constexpr bool follows(Task task) const {
    return task.stage == Stage::kAct && engines.engine(Stage::kAct) == engines.engine(Stage::kL1);
  }
  constexpr Waits waits(Task task) const {
    switch (task.stage) {
      case Stage::kDispatch:
        if (ring > 0 && task.part >= ring) return {wait_for_previous_layer(), wait_for(Stage::kL1, task.part - ring)};
        return wait_for_previous_layer();
      case Stage::kL1:
        return wait_for(Stage::kDispatch, task.part);
      case Stage::kAct:
        return wait_for(Stage::kL1, task.part);
      case Stage::kL2:
        return wait_for(Stage::kAct, task.part);
      case Stage::kCombine:
        return wait_for_all_ranks(Stage::kL2, task.part);
      default:
        return {};
    }
  }

 private:
  // Of each wave L1 and activation part by part, then L2. A wave of n parts is 3 n tasks, so waves begin at 3 times
  // their first part.
  constexpr Task with_activation(int index) const {
    const int wave = cuts.wave_of_part(index / 3), first = cuts.first_part(wave), count = cuts.parts_in(wave);
    const int inside = index - 3 * first;
    if (inside >= 2 * count) return {Stage::kL2, first + inside - 2 * count};
    return {inside % 2 == 0 ? Stage::kL1 : Stage::kAct, first + inside / 2};
  }
  // L1 runs one wave ahead, so that an activation elsewhere has the time of one L1: L1 of wave 0, then L1 of wave g + 1
  // and L2 of wave g in turn. That pair begins behind the L1 of waves up to g and the L2 of waves before g.
  constexpr Task one_wave_ahead(int index) const {
    int low = 0, high = cuts.waves - 1;  // the last g whose pair begins at or before index
    if (index < cuts.first_part(1)) return {Stage::kL1, index};
    while (low < high) {
      const int middle = low + (high - low + 1) / 2;
      if (cuts.first_part(middle) + cuts.first_part(middle + 1) <= index) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const int inside = index - cuts.first_part(low) - cuts.first_part(low + 1);
    const int ahead = low + 1 < cuts.waves ? cuts.parts_in(low + 1) : 0;
    if (inside < ahead) return {Stage::kL1, cuts.first_part(low + 1) + inside};
    return {Stage::kL2, cuts.first_part(low) + inside - ahead};
  }
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The unit every schedule deals in: one stage of one wave, on one engine of a rank. Pure constexpr, no memory, no
// clock: the same walks serve the simulator, the threads and a device.

#include <array>
#include <cstdint>
#include <string_view>

namespace moescope::reference {

enum class Stage : std::uint8_t { kDispatch, kL1, kAct, kL2, kCombine };
inline constexpr int kStages = 5;
inline constexpr std::array<Stage, kStages> kAllStages{Stage::kDispatch, Stage::kL1, Stage::kAct, Stage::kL2,
                                                       Stage::kCombine};

constexpr bool is_link_stage(Stage stage) {
  return stage == Stage::kDispatch || stage == Stage::kCombine;
}

struct Task {
  Stage stage = Stage::kDispatch;
  int wave = 0;
  friend constexpr bool operator==(const Task&, const Task&) = default;
};

// Which engine of a rank a stage occupies. An engine does one task at a time, in the schedule's order.
struct EngineMap {
  int count;
  std::array<int, kStages> engine_of;     // by Stage
  std::array<std::string_view, 4> names;  // lane names; `count` of them
  constexpr int engine(Stage stage) const { return engine_of[static_cast<std::size_t>(stage)]; }
};
// One link (the rank's ingress) and one compute engine: what machines have.
inline constexpr EngineMap kLinkCompute{2, {0, 1, 1, 1, 0}, {"link", "compute", "", ""}};
// Four lanes, activation off the compute engine: the drawing that popular speedup figures assume.
inline constexpr EngineMap kInComputeActOut{4, {0, 1, 2, 1, 3}, {"in", "compute", "act", "out"}};

// What must have happened before a task may start: that task on the same rank or on all ranks, in this layer or in the
// one before it (a step's first layer follows the last layer of the step before).
struct Wait {
  Task task;
  bool all_ranks = false;
  bool previous_layer = false;
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The unit every schedule deals in: a part of one stage, on one engine of a rank. A part is a wave, a block of rows, a
// chunk of tokens or of columns, as the schedule cuts the stage. Pure constexpr, no memory, no clock: the same walks
// serve the simulator, the threads and a device.

#include <array>
#include <cstdint>
#include <string_view>

namespace moescope::reference {

// The first five are the layer's exchange and experts, which schedules order. They are places in the layer, the same in
// both passes: backward, gradients take the place of tokens, so kDispatch brings the gradients of results to the
// experts, kL1 is the second projection's gradient, kL2 the first's, and kCombine takes gradients of tokens home. The
// others stand around them and are cut only among the compute engine's workers.
enum class Stage : std::uint8_t {
  kDispatch,
  kL1,
  kAct,
  kL2,
  kCombine,
  kDense,         // what the layer does besides: before its experts, backward after them
  kShared,        // experts of every token, computed where the token lives
  kWeightGradL2,  // gradients of the experts' weights, backward only
  kWeightGradL1,
  kWeightGradSide,  // likewise of dense and shared weights, of which every rank has a copy
  kAllReduce,       // of those
};
inline constexpr int kMoeStageCount = 5, kStages = 11;
inline constexpr std::array<Stage, kMoeStageCount> kMoeStages{Stage::kDispatch, Stage::kL1, Stage::kAct, Stage::kL2,
                                                              Stage::kCombine};
inline constexpr std::array<Stage, kStages> kAllStages{
    Stage::kDispatch, Stage::kL1,     Stage::kAct,          Stage::kL2,           Stage::kCombine,
    Stage::kDense,    Stage::kShared, Stage::kWeightGradL2, Stage::kWeightGradL1, Stage::kWeightGradSide,
    Stage::kAllReduce};

constexpr bool is_link_stage(Stage stage) {
  return stage == Stage::kDispatch || stage == Stage::kCombine || stage == Stage::kAllReduce;
}

constexpr bool is_weight_gradient(Stage stage) {
  return stage == Stage::kWeightGradL2 || stage == Stage::kWeightGradL1 || stage == Stage::kWeightGradSide;
}

enum class Direction : std::uint8_t { kForward, kBackward };

struct Task {
  Stage stage = Stage::kDispatch;
  int part = 0;
  friend constexpr bool operator==(const Task&, const Task&) = default;
};

// Which engine of a rank a stage occupies. An engine does one task at a time, in the schedule's order; where it has
// several workers, whoever is free takes the next of that order, with the tasks behind it that a schedule says follow
// it.
struct EngineMap {
  int count;
  std::array<int, kStages> engine_of;     // by Stage
  std::array<std::string_view, 4> names;  // lane names; `count` of them
  constexpr int engine(Stage stage) const { return engine_of[static_cast<std::size_t>(stage)]; }
};
// One link (the rank's ingress) and one compute engine: what machines have.
inline constexpr EngineMap kLinkCompute{2, {0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0}, {"link", "compute", "", ""}};
// Four lanes, activation off the compute engine: the drawing that popular speedup figures assume.
inline constexpr EngineMap kInComputeActOut{4, {0, 1, 2, 1, 3, 1, 1, 1, 1, 1, 0}, {"in", "compute", "act", "out"}};

// What must have happened before a task may start: that task, or all parts of its stage, on the same rank or on all
// ranks, in the same layer; or all that the layer before leaves to this one.
struct Wait {
  Task task;
  bool whole_stage = false;
  bool all_ranks = false;
  bool previous_layer = false;
  friend constexpr bool operator==(const Wait&, const Wait&) = default;
};
constexpr Wait wait_for(Stage stage, int part) {
  return {{stage, part}, false, false, false};
}
constexpr Wait wait_for_all_ranks(Stage stage, int part) {
  return {{stage, part}, false, true, false};
}
constexpr Wait wait_for_whole(Stage stage, bool all_ranks) {
  return {{stage, 0}, true, all_ranks, false};
}
constexpr Wait wait_for_previous_layer() {
  return {{}, true, true, true};
}

// The inputs of one task.
class Waits {
 public:
  static constexpr int kMost = 3;
  constexpr Waits() = default;
  constexpr Waits(Wait first) : all_{first}, count_(1) {}  // NOLINT: implicit by design
  constexpr Waits(Wait first, Wait second) : all_{first, second}, count_(2) {}
  constexpr void add(Wait wait) { all_[static_cast<std::size_t>(count_++)] = wait; }
  constexpr const Wait* begin() const { return all_.data(); }
  constexpr const Wait* end() const { return all_.data() + count_; }
  constexpr int size() const { return count_; }

 private:
  std::array<Wait, kMost> all_{};
  int count_ = 0;
};

}  // namespace moescope::reference

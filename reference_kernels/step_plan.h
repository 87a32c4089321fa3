#pragma once
// SPDX-License-Identifier: Apache-2.0
// One step of a job, unrolled: which layers of which micro-batches run in which pass, in what order every engine takes
// their tasks, and what each task waits for. The same for every rank. A schedule orders the experts of one layer; this
// puts layers one after the other, or two at a time in step, so that one's exchange goes under the other's compute.

#include <cstdint>
#include <span>
#include <vector>

#include "reference_kernels/schedule/schedules.h"
#include "reference_kernels/task_table.h"

namespace moescope::reference {

// What a step consists of.
struct StepShape {
  int layers = 1;
  int micro_batches = 1;
  int in_flight = 1;  // micro-batches that are under way at a time: 1, or 2 that move in step
  bool backward = false;
  bool dense = false, shared = false, all_reduce = false;  // the last with backward and one of the others only
  int compute_workers = 1;                                 // among whom what schedules don't cut is cut
};

// One layer of one micro-batch in one pass.
struct Round {
  int micro_batch = 0, layer = 0;
  Direction direction = Direction::kForward;
  int predecessor = -1;     // the round whose results or place it takes; -1: it begins the step
  bool all_reduce = false;  // the layer's gradients are whole after it
};

// A Wait with its round known.
struct Input {
  static constexpr int kStepBefore = -1;
  int round = 0;  // or kStepBefore: everything of the step before, on all ranks
  Task task;
  bool whole_stage = false, all_ranks = false;
};

class StepPlan {
 public:
  StepPlan(const AnySchedule& schedule, const StepShape& shape);

  struct Entry {
    int round = 0;
    Task task;
    bool follows = false;  // goes to the worker that had the one before
    int first_input = 0, inputs = 0;
  };
  const StepShape& shape() const { return shape_; }
  const EngineMap& engines() const { return engines_; }
  const StageParts& parts() const { return parts_; }
  int rounds() const { return static_cast<int>(rounds_.size()); }
  const Round& round(int index) const { return rounds_[static_cast<std::size_t>(index)]; }
  int tasks(int engine) const { return static_cast<int>(order(engine).size()); }
  const Entry& entry(int engine, int index) const { return order(engine)[static_cast<std::size_t>(index)]; }
  std::span<const Input> inputs(const Entry& entry) const {
    return {inputs_.data() + entry.first_input, static_cast<std::size_t>(entry.inputs)};
  }
  int tasks_in_all() const;
  template <class Visit>  // visit(round, task), each once, engine by engine
  void for_each(Visit visit) const {
    for (const auto& order : orders_) {
      for (const Entry& entry : order) visit(entry.round, entry.task);
    }
  }
  // What the next round of a chain takes from this one.
  Stage last_stage(const Round& round) const {
    return round.direction == Direction::kBackward && shape_.dense ? Stage::kDense : Stage::kCombine;
  }

 private:
  const std::vector<Entry>& order(int engine) const { return orders_[static_cast<std::size_t>(engine)]; }
  using Section = std::vector<std::vector<int>>;  // chains of rounds that move in step
  std::vector<Section> lay_out_rounds();
  void append(const AnySchedule& schedule, int engine, int round, Task task);
  Waits waits(const AnySchedule& schedule, const Round& round, Task task) const;
  int round_of_batch_before(const Round& round) const;  // the same layer and pass; -1: none
  void check_that_it_runs() const;                      // throws std::logic_error

  StepShape shape_;
  EngineMap engines_;
  StageParts parts_;
  std::vector<Round> rounds_;
  std::vector<std::vector<Entry>> orders_;  // by engine
  std::vector<Input> inputs_;
};

}  // namespace moescope::reference

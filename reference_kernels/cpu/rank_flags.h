#pragma once
// SPDX-License-Identifier: Apache-2.0
// "That task of that round is done, and its result is there from this moment": the flags between the threads of all
// ranks. A flag counts over all steps and only ever rises, so nothing is reset between steps. A result's time travels
// with its flag, so that a late wake-up is not handed on to those who wait.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "reference_kernels/step_plan.h"

namespace moescope::reference {

class RankFlags {
 public:
  RankFlags(const StepPlan& plan, int ranks)
      : ranks_(ranks),
        parts_(plan.parts()),
        rounds_(plan.rounds()),
        stride_(static_cast<std::size_t>(parts_.total() + kStages)),
        flags_(std::make_unique<Flag[]>(static_cast<std::size_t>(ranks + 1) * static_cast<std::size_t>(rounds_) *
                                        stride_)) {}

  // Blocks until all that `inputs` name has happened. The step before is over by then: lanes enter a step together.
  void await(int step, int rank, std::span<const Input> inputs) const {
    for (const Input& input : inputs) {
      if (input.round == Input::kStepBefore) continue;
      const int a_step = (input.all_ranks ? ranks_ : 1) * (input.whole_stage ? parts_[input.task.stage] : 1);
      const int target = (step + 1) * a_step;
      const std::atomic<int>& count = flag(rank, input).count;
      for (int seen = count.load(std::memory_order_acquire); seen < target;
           seen = count.load(std::memory_order_acquire)) {
        count.wait(seen, std::memory_order_acquire);
      }
    }
  }
  // When all of it was there, ns of the run; call after await. A flag is not signalled again before the next step.
  double ready_ns(int rank, std::span<const Input> inputs) const {
    double latest = step_ready_ns_.load(std::memory_order_relaxed);
    for (const Input& input : inputs) {
      if (input.round == Input::kStepBefore) continue;
      latest = std::max(latest, flag(rank, input).ready_ns.load(std::memory_order_relaxed));
    }
    return latest;
  }
  void signal(int rank, int round, Task task, double ready_ns) {
    for (const int owner : {rank, ranks_}) {
      const std::size_t first = index(owner, round % rounds_);
      publish(flags_[first + task_index(task)], ready_ns);
      publish(flags_[first + stage_index(task.stage)], ready_ns);
    }
    raise(latest_ns_, ready_ns);
  }
  // Between two steps, while no lane runs a task: the next step begins when the last result of this one is there.
  void step_is_over() { step_ready_ns_.store(latest_ns_.load()); }

 private:
  struct alignas(64) Flag {
    std::atomic<int> count{0};
    std::atomic<double> ready_ns{0.0};
  };
  static void raise(std::atomic<double>& latest_ns, double ready_ns) {
    double latest = latest_ns.load(std::memory_order_relaxed);
    while (latest < ready_ns && !latest_ns.compare_exchange_weak(latest, ready_ns, std::memory_order_relaxed)) {
    }
  }
  static void publish(Flag& flag, double ready_ns) {
    raise(flag.ready_ns, ready_ns);
    flag.count.fetch_add(1, std::memory_order_acq_rel);
    flag.count.notify_all();
  }
  // Owner `ranks_` stands for all of them together.
  const Flag& flag(int rank, const Input& input) const {
    const std::size_t first = index(input.all_ranks ? ranks_ : rank, input.round);
    return flags_[first + (input.whole_stage ? stage_index(input.task.stage) : task_index(input.task))];
  }
  std::size_t index(int owner, int round) const {
    return (static_cast<std::size_t>(owner) * static_cast<std::size_t>(rounds_) + static_cast<std::size_t>(round)) *
           stride_;
  }
  std::size_t task_index(Task task) const {
    return static_cast<std::size_t>(parts_.first(static_cast<int>(task.stage)) + task.part);
  }
  std::size_t stage_index(Stage stage) const {
    return static_cast<std::size_t>(parts_.total()) + static_cast<std::size_t>(stage);
  }
  int ranks_;
  StageParts parts_;
  int rounds_;
  std::size_t stride_;
  std::unique_ptr<Flag[]> flags_;
  std::atomic<double> latest_ns_{0.0}, step_ready_ns_{0.0};
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// "That task of that round is done, and its result is there from this moment": the flags between the threads of all
// ranks. Counters only ever rise, so nothing is reset between layers. A result's time travels with its flag, so that a
// late wake-up is not handed on to those who wait.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "reference_kernels/task_table.h"

namespace moescope::reference {

class RankFlags {
 public:
  RankFlags(int ranks, const StageParts& parts)
      : ranks_(ranks),
        parts_(parts),
        stride_(static_cast<std::size_t>(parts.total() + kStages)),
        flags_(std::make_unique<Flag[]>(static_cast<std::size_t>(ranks + 1) * stride_)) {}

  // Blocks until all that `waits` name has happened; nothing precedes round 0.
  void await(int round, int rank, const Waits& waits) const {
    for (const Wait& wait : waits) {
      const int source = wait.previous_layer ? round - 1 : round;
      if (source < 0) continue;
      const int a_round = (wait.all_ranks ? ranks_ : 1) * (wait.whole_stage ? parts_[wait.task.stage] : 1);
      const int target = (source + 1) * a_round;
      const std::atomic<int>& count = flag(rank, wait).count;
      for (int seen = count.load(std::memory_order_acquire); seen < target;
           seen = count.load(std::memory_order_acquire)) {
        count.wait(seen, std::memory_order_acquire);
      }
    }
  }
  // When all of it was there, ns of the run; call after await. The schedules never let a rank signal the same task of
  // the next round before all who wait for this one have seen it.
  double ready_ns(int round, int rank, const Waits& waits) const {
    double latest = 0;
    for (const Wait& wait : waits) {
      if (wait.previous_layer && round == 0) continue;
      latest = std::max(latest, flag(rank, wait).ready_ns.load(std::memory_order_relaxed));
    }
    return latest;
  }
  void signal(int rank, Task task, double ready_ns) {
    for (const int owner : {rank, ranks_}) {
      publish(flags_[task_index(owner, task)], ready_ns);
      publish(flags_[stage_index(owner, task.stage)], ready_ns);
    }
  }

 private:
  struct alignas(64) Flag {
    std::atomic<int> count{0};
    std::atomic<double> ready_ns{0.0};
  };
  static void publish(Flag& flag, double ready_ns) {
    double latest = flag.ready_ns.load(std::memory_order_relaxed);
    while (latest < ready_ns && !flag.ready_ns.compare_exchange_weak(latest, ready_ns, std::memory_order_relaxed)) {
    }
    flag.count.fetch_add(1, std::memory_order_acq_rel);
    flag.count.notify_all();
  }
  // Owner `ranks_` stands for all of them together.
  const Flag& flag(int rank, const Wait& wait) const {
    const int owner = wait.all_ranks ? ranks_ : rank;
    return flags_[wait.whole_stage ? stage_index(owner, wait.task.stage) : task_index(owner, wait.task)];
  }
  std::size_t task_index(int owner, Task task) const {
    return static_cast<std::size_t>(owner) * stride_ +
           static_cast<std::size_t>(parts_.first(static_cast<int>(task.stage)) + task.part);
  }
  std::size_t stage_index(int owner, Stage stage) const {
    return static_cast<std::size_t>(owner) * stride_ + static_cast<std::size_t>(parts_.total()) +
           static_cast<std::size_t>(stage);
  }
  int ranks_;
  StageParts parts_;
  std::size_t stride_;
  std::unique_ptr<Flag[]> flags_;
};

}  // namespace moescope::reference

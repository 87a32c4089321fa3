#pragma once
// SPDX-License-Identifier: Apache-2.0
// "That task of that round is done, and its result is there from this moment": the flags between the threads of all
// ranks. Counters only ever rise, so nothing is reset between layers. A result's time travels with its flag, so that a
// late wake-up is not handed on to those who wait.

#include <atomic>
#include <cstddef>
#include <memory>

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

class RankFlags {
 public:
  RankFlags(int ranks, int waves)
      : ranks_(ranks),
        waves_(waves),
        own_(std::make_unique<Flag[]>(static_cast<std::size_t>(ranks) * kStages * static_cast<std::size_t>(waves))),
        all_(std::make_unique<Flag[]>(kStages * static_cast<std::size_t>(waves))) {}

  // Blocks until what `wait` names has happened; nothing precedes round 0.
  void await(int round, int rank, const Wait& wait) const {
    const int source = wait.previous_layer ? round - 1 : round;
    if (source < 0) return;
    const int target = (source + 1) * (wait.all_ranks ? ranks_ : 1);
    const std::atomic<int>& count = flag(rank, wait).count;
    for (int seen = count.load(std::memory_order_acquire); seen < target;
         seen = count.load(std::memory_order_acquire)) {
      count.wait(seen, std::memory_order_acquire);
    }
  }
  // When it was there, ns of the run; call after await. The schedules never let a rank signal the same task of the next
  // round before all who wait for this one have seen it.
  double ready_ns(int round, int rank, const Wait& wait) const {
    if (wait.previous_layer && round == 0) return 0.0;
    return flag(rank, wait).ready_ns.load(std::memory_order_relaxed);
  }
  void signal(int rank, Task task, double ready_ns) {
    publish(own_[index(rank, task)], ready_ns);
    publish(all_[index(0, task)], ready_ns);
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
  const Flag& flag(int rank, const Wait& wait) const {
    return wait.all_ranks ? all_[index(0, wait.task)] : own_[index(rank, wait.task)];
  }
  std::size_t index(int rank, Task task) const {
    return (static_cast<std::size_t>(rank) * kStages + static_cast<std::size_t>(task.stage)) *
               static_cast<std::size_t>(waves_) +
           static_cast<std::size_t>(task.wave);
  }
  int ranks_, waves_;
  std::unique_ptr<Flag[]> own_, all_;
};

}  // namespace moescope::reference

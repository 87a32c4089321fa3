#pragma once
// SPDX-License-Identifier: Apache-2.0
// One value for every task of a run: rounds x ranks x stages x waves, in one block. A round is one layer of one step
// (step * layers + layer). Different tasks may be written from different threads.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

template <class T>
class TaskTable {
 public:
  TaskTable() = default;
  TaskTable(int rounds, int ranks, int waves)
      : rounds_(rounds),
        ranks_(ranks),
        waves_(waves),
        values_(static_cast<std::size_t>(rounds) * static_cast<std::size_t>(ranks) * static_cast<std::size_t>(kStages) *
                static_cast<std::size_t>(waves)) {}

  int rounds() const { return rounds_; }
  int ranks() const { return ranks_; }
  int waves() const { return waves_; }
  T& at(int round, int rank, Task task) { return values_[index(round, rank, task)]; }
  const T& at(int round, int rank, Task task) const { return values_[index(round, rank, task)]; }

  template <class Visit>  // visit(round, rank, task, value), in order
  void for_each(Visit&& visit) const {
    std::size_t i = 0;
    for (int round = 0; round < rounds_; ++round) {
      for (int rank = 0; rank < ranks_; ++rank) {
        for (Stage stage : kAllStages) {
          for (int wave = 0; wave < waves_; ++wave) visit(round, rank, Task{stage, wave}, values_[i++]);
        }
      }
    }
  }

 private:
  std::size_t index(int round, int rank, Task task) const {
    const auto row =
        static_cast<std::size_t>(round) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(rank);
    return (row * kStages + static_cast<std::size_t>(task.stage)) * static_cast<std::size_t>(waves_) +
           static_cast<std::size_t>(task.wave);
  }
  int rounds_ = 0, ranks_ = 0, waves_ = 0;
  std::vector<T> values_;
};

// When a task ran, ns after the run's start.
struct Stamp {
  double start_ns = 0, end_ns = 0;
};
using Timeline = TaskTable<Stamp>;
using Durations = TaskTable<double>;  // ns

// What a task moves and computes. bytes: on the wire; a multiply-add is 2 FLOPs.
struct Volume {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
};
using Volumes = TaskTable<Volume>;

}  // namespace moescope::reference

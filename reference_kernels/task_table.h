#pragma once
// SPDX-License-Identifier: Apache-2.0
// One value for every task of a run: rounds x ranks x parts of stages, in one block. A round is one layer of one
// micro-batch in one pass; those of a step lie together (step * rounds a step + round in step). Different tasks may be
// written from different threads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

// Into how many parts each stage is cut.
class StageParts {
 public:
  StageParts() = default;
  StageParts(int of_each) { parts_.fill(of_each); }  // NOLINT: implicit by design
  // Of the stages that schedules cut.
  template <class Schedule>
  static StageParts of(const Schedule& schedule) {
    StageParts parts;
    for (Stage stage : kMoeStages) parts[stage] = schedule.parts(stage);
    return parts;
  }
  int operator[](Stage stage) const { return parts_[static_cast<std::size_t>(stage)]; }
  int& operator[](Stage stage) { return parts_[static_cast<std::size_t>(stage)]; }
  // The first part of a stage among all parts of all stages; of the stage past the last, how many there are.
  int first(int stage) const {
    int sum = 0;
    for (int s = 0; s < stage; ++s) sum += parts_[static_cast<std::size_t>(s)];
    return sum;
  }
  int total() const { return first(kStages); }

 private:
  std::array<int, kStages> parts_{};
};

template <class T>
class TaskTable {
 public:
  TaskTable() = default;
  TaskTable(int rounds, int ranks, StageParts parts) : rounds_(rounds), ranks_(ranks), parts_(parts) {
    for (int stage = 0; stage <= kStages; ++stage) {
      first_[static_cast<std::size_t>(stage)] = static_cast<std::size_t>(parts.first(stage));
    }
    values_.resize(static_cast<std::size_t>(rounds) * static_cast<std::size_t>(ranks) * first_[kStages]);
  }

  int rounds() const { return rounds_; }
  int ranks() const { return ranks_; }
  const StageParts& parts() const { return parts_; }
  T& at(int round, int rank, Task task) { return values_[index(round, rank, task)]; }
  const T& at(int round, int rank, Task task) const { return values_[index(round, rank, task)]; }

  template <class Visit>  // visit(round, rank, task, value), in order
  void for_each(Visit&& visit) const {
    std::size_t i = 0;
    for (int round = 0; round < rounds_; ++round) {
      for (int rank = 0; rank < ranks_; ++rank) {
        for (Stage stage : kAllStages) {
          for (int part = 0; part < parts_[stage]; ++part) visit(round, rank, Task{stage, part}, values_[i++]);
        }
      }
    }
  }

 private:
  std::size_t index(int round, int rank, Task task) const {
    const auto row =
        static_cast<std::size_t>(round) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(rank);
    return row * first_[kStages] + first_[static_cast<std::size_t>(task.stage)] + static_cast<std::size_t>(task.part);
  }
  int rounds_ = 0, ranks_ = 0;
  StageParts parts_;
  std::array<std::size_t, kStages + 1> first_{};
  std::vector<T> values_;
};

// When a task ran, ns after the run's start.
struct Stamp {
  double start_ns = 0, end_ns = 0;
  int lane = 0;  // of its rank
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

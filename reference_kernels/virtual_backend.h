#pragma once
// SPDX-License-Identifier: Apache-2.0
// Discrete-event time for the executor: a task starts when its engine is free and its inputs are there, and takes its
// given time. Deterministic; the answer does not depend on the order in which workers are asked. One thread.

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "reference_kernels/executor.h"
#include "reference_kernels/task_table.h"

namespace moescope::reference {

class VirtualBackend {
 public:
  // Called for every task in an order that respects all inputs; empty: time only.
  using Work = std::function<void(int round, int rank, Task task)>;

  VirtualBackend(const Durations& durations, double link_latency_ns, Lanes lanes, Work work = {})
      : durations_(durations),
        latency_ns_(link_latency_ns),
        work_(std::move(work)),
        lanes_(lanes),
        free_ns_(static_cast<std::size_t>(durations.ranks()) * static_cast<std::size_t>(lanes.total())),
        own_(durations.rounds(), durations.ranks(), durations.parts()),
        all_(durations.rounds(), 1, durations.parts()),
        own_stage_(durations.rounds(), durations.ranks(), 1),
        all_stage_(durations.rounds(), 1, 1),
        timeline_(durations.rounds(), durations.ranks(), durations.parts()) {}

  bool ready(int round, int rank, const Waits& waits) const {
    return std::all_of(waits.begin(), waits.end(), [&](const Wait& wait) {
      const int source = wait.previous_layer ? round - 1 : round;
      if (source < 0) return true;
      const int needed =
          (wait.all_ranks ? durations_.ranks() : 1) * (wait.whole_stage ? durations_.parts()[wait.task.stage] : 1);
      return arrival(source, rank, wait).count == needed;
    });
  }
  double run(int round, int rank, int lane, Task task, const Waits& waits) {
    double& free_ns = free_ns_[index(rank, lane)];
    double start_ns = free_ns;
    for (const Wait& wait : waits) {
      const int source = wait.previous_layer ? round - 1 : round;
      if (source >= 0) start_ns = std::max(start_ns, arrival(source, rank, wait).ready_ns);
    }
    free_ns = start_ns + durations_.at(round, rank, task);
    timeline_.at(round, rank, task) = {start_ns, free_ns, lane};
    if (work_) work_(round, rank, task);
    return free_ns + (is_link_stage(task.stage) ? latency_ns_ : 0.0);
  }
  void signal(int round, int rank, Task task, double ready_ns) {
    const Task stage{task.stage, 0};
    for (Arrival* arrival : {&own_.at(round, rank, task), &all_.at(round, 0, task), &own_stage_.at(round, rank, stage),
                             &all_stage_.at(round, 0, stage)}) {
      *arrival = {arrival->count + 1, std::max(arrival->ready_ns, ready_ns)};
    }
    makespan_ns_ = std::max(makespan_ns_, ready_ns);
  }
  int free_lane(int rank, int engine) const {
    int first = -1;
    for (int lane = 0; lane < lanes_.total(); ++lane) {
      if (lanes_.engine(lane) == engine && (first < 0 || free_at(rank, lane) < free_at(rank, first))) first = lane;
    }
    return first;
  }

  const Timeline& timeline() const { return timeline_; }
  double makespan_ns() const { return makespan_ns_; }

 private:
  struct Arrival {
    int count = 0;
    double ready_ns = 0;  // of the latest
  };
  const Arrival& arrival(int source, int rank, const Wait& wait) const {
    if (wait.whole_stage) {
      const Task stage{wait.task.stage, 0};
      return wait.all_ranks ? all_stage_.at(source, 0, stage) : own_stage_.at(source, rank, stage);
    }
    return wait.all_ranks ? all_.at(source, 0, wait.task) : own_.at(source, rank, wait.task);
  }
  std::size_t index(int rank, int lane) const { return static_cast<std::size_t>(rank * lanes_.total() + lane); }
  double free_at(int rank, int lane) const { return free_ns_[index(rank, lane)]; }
  const Durations& durations_;
  double latency_ns_;
  Work work_;
  Lanes lanes_;
  std::vector<double> free_ns_;
  TaskTable<Arrival> own_, all_, own_stage_, all_stage_;
  Timeline timeline_;
  double makespan_ns_ = 0;
};

// The makespan of a schedule on given task times, ns.
template <class Schedule>
double simulated_makespan_ns(const Schedule& schedule, const Durations& durations, double link_latency_ns,
                             int compute_workers = 1) {
  const Lanes lanes(schedule.engines, compute_workers);
  VirtualBackend backend(durations, link_latency_ns, lanes);
  run_cooperatively(schedule, backend, durations.ranks(), durations.rounds());
  return backend.makespan_ns();
}

}  // namespace moescope::reference

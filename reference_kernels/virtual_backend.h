#pragma once
// SPDX-License-Identifier: Apache-2.0
// Discrete-event time for the executor: a task starts when its engine is free and its input is there, and takes its
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

  VirtualBackend(const Durations& durations, double link_latency_ns, int engines, Work work = {})
      : durations_(durations),
        latency_ns_(link_latency_ns),
        work_(std::move(work)),
        engines_(engines),
        free_ns_(static_cast<std::size_t>(durations.ranks()) * static_cast<std::size_t>(engines)),
        own_(durations.rounds(), durations.ranks(), durations.waves()),
        all_(durations.rounds(), 1, durations.waves()),
        timeline_(durations.rounds(), durations.ranks(), durations.waves()) {}

  bool ready(int round, int rank, const Wait& wait) const {
    const int source = wait.previous_layer ? round - 1 : round;
    if (source < 0) return true;
    return wait.all_ranks ? all_.at(source, 0, wait.task).ranks == durations_.ranks()
                          : own_.at(source, rank, wait.task).ranks == 1;
  }
  double run(int round, int rank, int engine, Task task, const Wait& wait) {
    double& free_ns = free_ns_[static_cast<std::size_t>(rank * engines_ + engine)];
    const int source = wait.previous_layer ? round - 1 : round;
    double input_ns = 0;
    if (source >= 0) {
      input_ns = (wait.all_ranks ? all_.at(source, 0, wait.task) : own_.at(source, rank, wait.task)).ready_ns;
    }
    const double start_ns = std::max(free_ns, input_ns);
    free_ns = start_ns + durations_.at(round, rank, task);
    timeline_.at(round, rank, task) = {start_ns, free_ns};
    if (work_) work_(round, rank, task);
    return free_ns + (is_link_stage(task.stage) ? latency_ns_ : 0.0);
  }
  void signal(int round, int rank, Task task, double ready_ns) {
    own_.at(round, rank, task) = {1, ready_ns};
    Arrival& all = all_.at(round, 0, task);
    all = {all.ranks + 1, std::max(all.ready_ns, ready_ns)};
    makespan_ns_ = std::max(makespan_ns_, ready_ns);
  }
  void enter(int, int, int) {}
  void leave(int, int, int) {}

  const Timeline& timeline() const { return timeline_; }
  double makespan_ns() const { return makespan_ns_; }

 private:
  struct Arrival {
    int ranks = 0;
    double ready_ns = 0;
  };
  const Durations& durations_;
  double latency_ns_;
  Work work_;
  int engines_;
  std::vector<double> free_ns_;
  TaskTable<Arrival> own_, all_;
  Timeline timeline_;
  double makespan_ns_ = 0;
};

// The makespan of a schedule on given task times, ns.
template <class Schedule>
double simulated_makespan_ns(const Schedule& schedule, const Durations& durations, double link_latency_ns) {
  VirtualBackend backend(durations, link_latency_ns, schedule.engines.count);
  run_cooperatively(schedule, backend, durations.ranks(), durations.rounds());
  return backend.makespan_ns();
}

}  // namespace moescope::reference

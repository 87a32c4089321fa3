#pragma once
// SPDX-License-Identifier: Apache-2.0
// Discrete-event time for the executor: a task starts when its engine is free and its inputs are there, and takes its
// given time. Deterministic; the answer does not depend on the order in which workers are asked. One thread.

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "reference_kernels/executor.h"
#include "reference_kernels/task_table.h"

namespace moescope::reference {

class VirtualBackend {
 public:
  // Called for every task in an order that respects all inputs; empty: time only.
  using Work = std::function<void(int round, int rank, Task task)>;

  // durations: of all steps.
  VirtualBackend(const StepPlan& plan, const Durations& durations, double link_latency_ns, Lanes lanes, Work work = {})
      : plan_(plan),
        durations_(durations),
        latency_ns_(link_latency_ns),
        work_(std::move(work)),
        lanes_(std::move(lanes)),
        free_ns_(static_cast<std::size_t>(durations.ranks()) * static_cast<std::size_t>(lanes_.total())),
        own_(durations.rounds(), durations.ranks(), durations.parts()),
        all_(durations.rounds(), 1, durations.parts()),
        own_stage_(durations.rounds(), durations.ranks(), 1),
        all_stage_(durations.rounds(), 1, 1),
        steps_(static_cast<std::size_t>(durations.rounds() / plan.rounds())),
        timeline_(durations.rounds(), durations.ranks(), durations.parts()) {}

  bool ready(int step, int rank, std::span<const Input> inputs) const {
    return std::all_of(inputs.begin(), inputs.end(), [&](const Input& input) {
      const int ranks = durations_.ranks();
      if (input.round == Input::kStepBefore)
        return step == 0 || steps_[static_cast<std::size_t>(step) - 1].count == ranks * plan_.tasks_in_all();
      return arrival(step, rank, input).count ==
             (input.all_ranks ? ranks : 1) * (input.whole_stage ? durations_.parts()[input.task.stage] : 1);
    });
  }
  int free_lane(int rank, int engine) const {
    int first = -1;
    for (int lane = 0; lane < lanes_.total(); ++lane) {
      if (lanes_.engine(lane) == engine && (first < 0 || free_at(rank, lane) < free_at(rank, first))) first = lane;
    }
    return first;
  }
  double run(int step, int rank, int lane, int round, Task task, std::span<const Input> inputs) {
    double& free_ns = free_ns_[index(rank, lane)];
    double start_ns = free_ns;
    for (const Input& input : inputs) {
      if (input.round == Input::kStepBefore) {
        if (step > 0) start_ns = std::max(start_ns, steps_[static_cast<std::size_t>(step) - 1].ready_ns);
      } else {
        start_ns = std::max(start_ns, arrival(step, rank, input).ready_ns);
      }
    }
    free_ns = start_ns + durations_.at(round, rank, task);
    timeline_.at(round, rank, task) = {start_ns, free_ns, lane};
    if (work_) work_(round, rank, task);
    return free_ns + (is_link_stage(task.stage) ? latency_ns_ : 0.0);
  }
  void signal(int step, int rank, int round, Task task, double ready_ns) {
    const Task stage{task.stage, 0};
    for (Arrival* arrival : {&own_.at(round, rank, task), &all_.at(round, 0, task), &own_stage_.at(round, rank, stage),
                             &all_stage_.at(round, 0, stage), &steps_[static_cast<std::size_t>(step)]}) {
      *arrival = {arrival->count + 1, std::max(arrival->ready_ns, ready_ns)};
    }
    makespan_ns_ = std::max(makespan_ns_, ready_ns);
  }

  const Timeline& timeline() const { return timeline_; }
  double makespan_ns() const { return makespan_ns_; }

 private:
  struct Arrival {
    int count = 0;
    double ready_ns = 0;  // of the latest
  };
  const Arrival& arrival(int step, int rank, const Input& input) const {
    const int round = step * plan_.rounds() + input.round;
    if (input.whole_stage) {
      const Task stage{input.task.stage, 0};
      return input.all_ranks ? all_stage_.at(round, 0, stage) : own_stage_.at(round, rank, stage);
    }
    return input.all_ranks ? all_.at(round, 0, input.task) : own_.at(round, rank, input.task);
  }
  std::size_t index(int rank, int lane) const { return static_cast<std::size_t>(rank * lanes_.total() + lane); }
  double free_at(int rank, int lane) const { return free_ns_[index(rank, lane)]; }
  const StepPlan& plan_;
  const Durations& durations_;
  double latency_ns_;
  Work work_;
  Lanes lanes_;
  std::vector<double> free_ns_;
  TaskTable<Arrival> own_, all_, own_stage_, all_stage_;
  std::vector<Arrival> steps_;
  Timeline timeline_;
  double makespan_ns_ = 0;
};

// The makespan of a plan on given task times, ns.
inline double simulated_makespan_ns(const StepPlan& plan, const Durations& durations, double link_latency_ns,
                                    int compute_workers = 1) {
  VirtualBackend backend(plan, durations, link_latency_ns, Lanes(plan.engines(), compute_workers));
  run_cooperatively(plan, backend, durations.ranks(), durations.rounds() / plan.rounds());
  return backend.makespan_ns();
}
// Of layers in turn, one micro-batch, forward: durations' rounds are the layers of one step.
inline double simulated_makespan_ns(const AnySchedule& schedule, const Durations& durations, double link_latency_ns,
                                    int compute_workers = 1) {
  StepShape shape;
  shape.layers = durations.rounds();
  return simulated_makespan_ns(StepPlan(schedule, shape), durations, link_latency_ns, compute_workers);
}

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The worker loop: next task of an engine, wait for its inputs, run, signal. What waiting and running mean is the
// backend's: threads block and work, the simulator asks and adds. Where an engine has several workers, whoever is free
// takes the next task of the engine's order, and those that follow it. Rounds count over all steps.
//
// Backend: bool ready(step, rank, inputs)           may a task start now? (cooperative only)
//          int free_lane(rank, engine)              which of the engine's lanes is free first (cooperative only)
//          void await(step, rank, inputs)           block until it may (threads only)
//          double run(step, rank, lane, round, Task, inputs)  do it, stamp it; when its result is there, ns of the run
//          void signal(step, rank, round, Task, double)  tell those who wait for it, and since when it is there
//          void enter(step, rank, lane)             before the first wait of a step, by every lane in every step
//          void leave(rank, lane)                   after the last step (both: threads only)

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include "reference_kernels/lanes.h"
#include "reference_kernels/step_plan.h"

namespace moescope::reference {

// How many tasks of each engine of each rank have been taken, over all steps.
class TaskCursors {
 public:
  TaskCursors(int ranks, int engines)
      : engines_(engines), taken_(std::make_unique<Cursor[]>(static_cast<std::size_t>(ranks * engines))) {}
  struct Taken {
    std::int64_t first = 0, end = 0;  // counted over all steps
  };
  Taken take(const StepPlan& plan, int rank, int engine, int steps) {
    std::atomic<std::int64_t>& count = taken_[static_cast<std::size_t>(rank * engines_ + engine)].count;
    const int tasks = plan.tasks(engine);
    Taken taken;
    taken.first = count.load(std::memory_order_relaxed);
    do {
      taken.end = taken.first;
      if (taken.first == std::int64_t{steps} * tasks) return taken;
      do ++taken.end;
      while (taken.end % tasks != 0 && plan.entry(engine, static_cast<int>(taken.end % tasks)).follows);
    } while (!count.compare_exchange_weak(taken.first, taken.end, std::memory_order_relaxed));
    return taken;
  }

 private:
  struct alignas(64) Cursor {
    std::atomic<std::int64_t> count{0};
  };
  int engines_;
  std::unique_ptr<Cursor[]> taken_;
};

// One lane's thread, from the first step to the last.
template <class Backend>
void run_lane(const StepPlan& plan, Backend& backend, TaskCursors& cursors, const Lanes& lanes, int rank, int lane,
              int steps) {
  const int engine = lanes.engine(lane), tasks = plan.tasks(engine);
  int entered = 0;
  const auto enter_up_to = [&](int step) {
    while (entered <= step) backend.enter(entered++, rank, lane);
  };
  while (tasks > 0) {
    const TaskCursors::Taken taken = cursors.take(plan, rank, engine, steps);
    if (taken.first == taken.end) break;
    for (std::int64_t next = taken.first; next < taken.end; ++next) {
      const int step = static_cast<int>(next / tasks);
      const StepPlan::Entry& entry = plan.entry(engine, static_cast<int>(next % tasks));
      const auto inputs = plan.inputs(entry);
      const int round = step * plan.rounds() + entry.round;
      enter_up_to(step);  // before waiting: what a step needs may come from workers that have entered it
      backend.await(step, rank, inputs);
      backend.signal(step, rank, round, entry.task, backend.run(step, rank, lane, round, entry.task, inputs));
    }
  }
  enter_up_to(steps - 1);
  backend.leave(rank, lane);
}

// All engines of all ranks on the calling thread, each moved on while its inputs are there.
template <class Backend>
void run_cooperatively(const StepPlan& plan, Backend& backend, int ranks, int steps) {
  struct Position {
    int step = 0, index = 0, lane = -1;
  };
  const int engines = plan.engines().count;
  std::vector<Position> positions(static_cast<std::size_t>(ranks * engines));
  for (bool unfinished = true; unfinished;) {
    bool moved = false;
    unfinished = false;
    for (int rank = 0; rank < ranks; ++rank) {
      for (int engine = 0; engine < engines; ++engine) {
        Position& position = positions[static_cast<std::size_t>(rank * engines + engine)];
        const int tasks = plan.tasks(engine);
        while (tasks > 0 && position.step < steps) {
          const StepPlan::Entry& entry = plan.entry(engine, position.index);
          const auto inputs = plan.inputs(entry);
          if (!backend.ready(position.step, rank, inputs)) break;
          if (position.index == 0 || !entry.follows) position.lane = backend.free_lane(rank, engine);
          const int round = position.step * plan.rounds() + entry.round;
          backend.signal(position.step, rank, round, entry.task,
                         backend.run(position.step, rank, position.lane, round, entry.task, inputs));
          moved = true;
          if (++position.index == tasks) position = {position.step + 1, 0, -1};
        }
        unfinished |= tasks > 0 && position.step < steps;
      }
    }
    if (unfinished && !moved) throw std::logic_error("the schedule blocks itself");
  }
}

}  // namespace moescope::reference

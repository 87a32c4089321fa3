#pragma once
// SPDX-License-Identifier: Apache-2.0
// The worker loop: next task of an engine, wait for its inputs, run, signal. What waiting and running mean is the
// backend's: threads block and work, the simulator asks and adds. Where an engine has several workers, whoever is free
// takes the next task of the engine's order, and those that follow it.
//
// Backend: bool ready(round, rank, Waits)           may this start now? (cooperative only)
//          void await(round, rank, Waits)           block until it may (threads only)
//          double run(round, rank, lane, Task, Waits)  do it, stamp it; when its result is there, ns of the run
//          void signal(round, rank, Task, double)   tell those who wait for it, and since when it is there
//          void enter(round, rank, lane)            before the first wait of a round, by every lane in every round
//          void leave(rank, lane)                   after the last round (threads only)

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include "reference_kernels/lanes.h"
#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

// How many tasks of each engine of each rank have been taken, over all rounds.
class TaskCursors {
 public:
  TaskCursors(int ranks, int engines)
      : engines_(engines), taken_(std::make_unique<Cursor[]>(static_cast<std::size_t>(ranks * engines))) {}
  struct Taken {
    std::int64_t first = 0, end = 0;  // counted over all rounds
  };
  template <class Schedule>
  Taken take(const Schedule& schedule, int rank, int engine, int tasks, int rounds) {
    std::atomic<std::int64_t>& count = taken_[static_cast<std::size_t>(rank * engines_ + engine)].count;
    Taken taken;
    taken.first = count.load(std::memory_order_relaxed);
    do {
      taken.end = taken.first;
      if (taken.first == std::int64_t{rounds} * tasks) return taken;
      do ++taken.end;
      while (taken.end % tasks != 0 && schedule.follows(schedule.at(engine, static_cast<int>(taken.end % tasks))));
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

// One lane's thread, from the first round to the last.
template <class Schedule, class Backend>
void run_lane(const Schedule& schedule, Backend& backend, TaskCursors& cursors, const Lanes& lanes, int rank, int lane,
              int rounds) {
  const int engine = lanes.engine(lane), tasks = schedule.size(engine);
  int entered = 0;
  const auto enter_up_to = [&](int round) {
    while (entered <= round) backend.enter(entered++, rank, lane);
  };
  while (tasks > 0) {
    const TaskCursors::Taken taken = cursors.take(schedule, rank, engine, tasks, rounds);
    if (taken.first == taken.end) break;
    for (std::int64_t next = taken.first; next < taken.end; ++next) {
      const int round = static_cast<int>(next / tasks);
      const Task task = schedule.at(engine, static_cast<int>(next % tasks));
      const Waits waits = schedule.waits(task);
      enter_up_to(round);  // before waiting: what a round needs may come from workers that have entered it
      backend.await(round, rank, waits);
      backend.signal(round, rank, task, backend.run(round, rank, lane, task, waits));
    }
  }
  enter_up_to(rounds - 1);
  backend.leave(rank, lane);
}

// All engines of all ranks on the calling thread, each moved on while its inputs are there. The backend says which of
// an engine's lanes is free first: free_lane(rank, engine).
template <class Schedule, class Backend>
void run_cooperatively(const Schedule& schedule, Backend& backend, int ranks, int rounds) {
  struct Position {
    int round = 0, index = 0, lane = -1;
  };
  const int engines = schedule.engines.count;
  std::vector<Position> positions(static_cast<std::size_t>(ranks * engines));
  for (bool unfinished = true; unfinished;) {
    bool moved = false;
    unfinished = false;
    for (int rank = 0; rank < ranks; ++rank) {
      for (int engine = 0; engine < engines; ++engine) {
        Position& position = positions[static_cast<std::size_t>(rank * engines + engine)];
        const int tasks = schedule.size(engine);
        while (tasks > 0 && position.round < rounds) {
          const Task task = schedule.at(engine, position.index);
          const Waits waits = schedule.waits(task);
          if (!backend.ready(position.round, rank, waits)) break;
          if (position.index == 0 || !schedule.follows(task)) position.lane = backend.free_lane(rank, engine);
          backend.signal(position.round, rank, task, backend.run(position.round, rank, position.lane, task, waits));
          moved = true;
          if (++position.index == tasks) position = {position.round + 1, 0, -1};
        }
        unfinished |= tasks > 0 && position.round < rounds;
      }
    }
    if (unfinished && !moved) throw std::logic_error("the schedule blocks itself");
  }
}

}  // namespace moescope::reference

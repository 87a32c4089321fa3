#pragma once
// SPDX-License-Identifier: Apache-2.0
// The worker loop of one engine of one rank: next task, wait for its input, run, signal. What waiting and running mean
// is the backend's: threads block and work, the simulator asks and adds.
//
// Backend: bool ready(round, rank, Wait)            may this start now? (cooperative only)
//          void await(round, rank, Wait)            block until it may (threads only)
//          double run(round, rank, engine, Task, Wait)  do it, stamp it; when its result is there, ns of the run
//          void signal(round, rank, Task, double)   tell those who wait for it, and since when it is there
//          void enter(round, rank, engine), leave(round, rank, engine)

#include <stdexcept>
#include <vector>

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

template <class Schedule, class Backend>
class Worker {
 public:
  Worker(const Schedule& schedule, Backend& backend, int rank, int engine, int rounds)
      : schedule_(schedule),
        backend_(backend),
        rank_(rank),
        engine_(engine),
        rounds_(rounds),
        tasks_(schedule.size(engine)) {}

  bool finished() const { return round_ == rounds_ || tasks_ == 0; }
  bool ready() const { return backend_.ready(round_, rank_, schedule_.wait(task())); }

  // Runs the next task; its input must be there or awaited.
  void step() {
    enter();
    const Task now = task();
    const double there_ns = backend_.run(round_, rank_, engine_, now, schedule_.wait(now));
    backend_.signal(round_, rank_, now, there_ns);
    if (++index_ < tasks_) return;
    backend_.leave(round_, rank_, engine_);
    index_ = 0;
    entered_ = false;
    ++round_;
  }
  void run_blocking() {
    while (!finished()) {
      enter();  // before waiting: what a round needs may come from workers that have entered it
      backend_.await(round_, rank_, schedule_.wait(task()));
      step();
    }
  }

 private:
  void enter() {
    if (!entered_) backend_.enter(round_, rank_, engine_);
    entered_ = true;
  }
  Task task() const { return schedule_.at(engine_, index_); }
  const Schedule& schedule_;
  Backend& backend_;
  int rank_, engine_, rounds_, tasks_;
  int round_ = 0, index_ = 0;
  bool entered_ = false;
};

// All workers of all ranks on the calling thread, each moved on while its input is there.
template <class Schedule, class Backend>
void run_cooperatively(const Schedule& schedule, Backend& backend, int ranks, int rounds) {
  std::vector<Worker<Schedule, Backend>> workers;
  for (int rank = 0; rank < ranks; ++rank) {
    for (int engine = 0; engine < schedule.engines.count; ++engine) {
      workers.emplace_back(schedule, backend, rank, engine, rounds);
    }
  }
  for (bool unfinished = true; unfinished;) {
    bool moved = false;
    unfinished = false;
    for (auto& worker : workers) {
      while (!worker.finished() && worker.ready()) worker.step(), moved = true;
      unfinished |= !worker.finished();
    }
    if (unfinished && !moved) throw std::logic_error("the schedule blocks itself");
  }
}

}  // namespace moescope::reference

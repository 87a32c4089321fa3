#pragma once
// SPDX-License-Identifier: Apache-2.0
// The executor on threads, one a lane and rank. Two ways to spend a task's time, chosen by Pace: PacedTime sleeps
// until the task's nominal end, RealTime does the arithmetic and the copying.

#include <barrier>
#include <cmath>
#include <cstdint>

#include "reference_kernels/cpu/monotonic_clock.h"
#include "reference_kernels/cpu/rank_flags.h"
#include "reference_kernels/lanes.h"
#include "reference_kernels/recording.h"
#include "reference_kernels/task_table.h"

namespace moescope::reference {

// A Pace offers: double begin_ns(rank, lane, input_ns) when the task may begin by its own clock;
//                double work(round, rank, lane, task, begin_ns) does it, returns when its result is there but for
//                latency.
template <class Pace>
class ThreadBackend {
 public:
  ThreadBackend(Pace& pace, const Recording& recording, const StepPlan& plan, int steps, int ranks, const Lanes& lanes,
                double link_latency_ns)
      : pace_(pace),
        recording_(recording),
        flags_(plan, ranks),
        step_barrier_(std::ptrdiff_t{ranks} * lanes.total(), StepIsOver{flags_}),
        timeline_(steps * plan.rounds(), ranks, plan.parts()),
        latency_ns_(link_latency_ns) {}

  // Time 0 of the run on CLOCK_MONOTONIC; before any worker moves.
  void set_origin(std::int64_t origin_ns) { origin_ns_ = origin_ns; }
  std::int64_t origin_ns() const { return origin_ns_; }
  double now_ns() const { return static_cast<double>(MonotonicClock::now_ns() - origin_ns_); }
  void sleep_until(double time_ns) const { MonotonicClock::sleep_until(origin_ns_ + std::llround(time_ns)); }

  void enter(int step, int, int) {
    step_barrier_.arrive_and_wait();
    if (step > 0) recording_.step_ends();
    recording_.step_begins(step);
  }
  void leave(int, int) {
    step_barrier_.arrive_and_wait();
    recording_.step_ends();
  }
  void await(int step, int rank, std::span<const Input> inputs) const { flags_.await(step, rank, inputs); }

  double run(int, int rank, int lane, int round, Task task, std::span<const Input> inputs) {
    const double begin_ns = pace_.begin_ns(rank, lane, flags_.ready_ns(rank, inputs));
    sleep_until(begin_ns);
    Stamp& stamp = timeline_.at(round, rank, task);
    stamp.lane = lane;
    stamp.start_ns = now_ns();
    const double done_ns = pace_.work(*this, round, rank, lane, task, begin_ns);
    stamp.end_ns = now_ns();
    recording_.task_ran(round, rank, task, origin_ns_ + std::llround(stamp.start_ns),
                        origin_ns_ + std::llround(stamp.end_ns));
    return done_ns + (is_link_stage(task.stage) ? latency_ns_ : 0.0);
  }
  void signal(int, int rank, int round, Task task, double there_ns) { flags_.signal(rank, round, task, there_ns); }

  const Timeline& timeline() const { return timeline_; }

 private:
  Pace& pace_;
  const Recording& recording_;
  struct StepIsOver {  // run by the last lane to come, while the others stand
    RankFlags& flags;
    void operator()() noexcept { flags.step_is_over(); }
  };
  RankFlags flags_;
  std::barrier<StepIsOver> step_barrier_;
  Timeline timeline_;
  double latency_ns_;
  std::int64_t origin_ns_ = 0;
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Starts a thread for every lane of every rank, lets them go at one moment, and waits for all of them.

#include <latch>
#include <thread>
#include <vector>

#include "reference_kernels/cpu/monotonic_clock.h"
#include "reference_kernels/executor.h"
#include "reference_kernels/recording.h"

namespace moescope::reference {

template <class Backend>
void run_on_threads(const StepPlan& plan, Backend& backend, const Recording& recording, const Lanes& lanes, int ranks,
                    int steps) {
  constexpr std::int64_t kLeadNs = 1'000'000;  // all threads have woken by then
  std::latch standing(std::ptrdiff_t{ranks} * lanes.total());
  std::latch go(1);
  TaskCursors cursors(ranks, plan.engines().count);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    for (int lane = 0; lane < lanes.total(); ++lane) {
      threads.emplace_back([&, rank, lane] {
        MonotonicClock::sharpen_this_thread();
        recording.thread_begins(rank, lane);
        standing.count_down();
        go.wait();
        backend.sleep_until(0);
        run_lane(plan, backend, cursors, lanes, rank, lane, steps);
      });
    }
  }
  standing.wait();
  backend.set_origin(MonotonicClock::now_ns() + kLeadNs);
  go.count_down();
}

}  // namespace moescope::reference

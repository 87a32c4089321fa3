// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock_sync.h"

#include <time.h>

#include "collector/src/thread_state.h"

namespace moescope::collector {

std::int64_t realtime_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1000000000} + now.tv_nsec;
}

trace::ClockSyncRow read_clock_pair() {
  trace::ClockSyncRow best;
  best.clock_a = kMonotonicClock;
  best.clock_b = kRealtimeClock;
  best.uncertainty_ns = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = monotonic_ns();
    const std::int64_t wall = realtime_ns();
    const std::int64_t after = monotonic_ns();
    const std::int64_t half = (after - before + 1) / 2;
    if (half >= best.uncertainty_ns) continue;
    best.a_ns = before + (after - before) / 2;
    best.b_ns = wall;
    best.uncertainty_ns = half;
  }
  return best;
}

}  // namespace moescope::collector

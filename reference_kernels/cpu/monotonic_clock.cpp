// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cpu/monotonic_clock.h"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace moescope::reference {

std::int64_t MonotonicClock::now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void MonotonicClock::sleep_until(std::int64_t time_ns) {
  if (now_ns() >= time_ns) return;
  const timespec until{time_ns / 1'000'000'000, time_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void MonotonicClock::sharpen_this_thread() {
  prctl(PR_SET_TIMERSLACK, 1UL);
}

}  // namespace moescope::reference

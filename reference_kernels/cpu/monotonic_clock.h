#pragma once
// SPDX-License-Identifier: Apache-2.0
// CLOCK_MONOTONIC in ns, and sleeping until an absolute time on it. Relative sleeps lose a third of a link's rate;
// absolute ones with the smallest timer slack lose nothing, because what is late is not carried on.

#include <cstdint>

namespace moescope::reference {

class MonotonicClock {
 public:
  static std::int64_t now_ns();
  static void sleep_until(std::int64_t time_ns);  // returns at once where that has passed
  static void sharpen_this_thread();              // timer slack 1 ns
};

}  // namespace moescope::reference

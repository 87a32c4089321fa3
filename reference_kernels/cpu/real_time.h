#pragma once
// SPDX-License-Identifier: Apache-2.0
// A task takes what it takes: arithmetic on this machine's cores, and copies held to the link's rate.

#include <vector>

#include "reference_kernels/cpu/monotonic_clock.h"
#include "reference_kernels/cpu/rate_limiter.h"
#include "reference_kernels/cpu/stage_work.h"
#include "reference_kernels/task_table.h"

namespace moescope::reference {

class RealTime {
 public:
  RealTime(StageWork& work, int ranks, int lanes, double link_bytes_per_second)
      : work_(work),
        lanes_(lanes),
        links_(static_cast<std::size_t>(ranks * lanes), RateLimiter<MonotonicClock>(link_bytes_per_second)) {}

  double begin_ns(int, int, double input_ns) const { return input_ns; }
  template <class Backend>
  double work(const Backend& backend, int round, int rank, int lane, Task task, double) {
    if (is_link_stage(task.stage)) {
      RateLimiter<MonotonicClock>& link = links_[static_cast<std::size_t>(rank * lanes_ + lane)];
      link.begin();
      work_.run(round, rank, task, &link);
      link.finish();
    } else {
      work_.run(round, rank, task, nullptr);
    }
    return backend.now_ns();
  }

 private:
  StageWork& work_;
  int lanes_;
  std::vector<RateLimiter<MonotonicClock>> links_;  // each entry belongs to one thread
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// A task takes its given time, asleep. Every lane and every flag carries its nominal time, so a thread that wakes
// late delays nobody: on two cores any number of ranks comes out within a few per cent of the ideal.

#include <algorithm>
#include <vector>

#include "reference_kernels/task_table.h"

namespace moescope::reference {

class PacedTime {
 public:
  PacedTime(const Durations& durations, int lanes)
      : durations_(durations),
        lanes_(lanes),
        free_ns_(static_cast<std::size_t>(durations.ranks()) * static_cast<std::size_t>(lanes)) {}

  double begin_ns(int rank, int lane, double input_ns) const { return std::max(free_ns_[at(rank, lane)], input_ns); }
  template <class Backend>
  double work(const Backend& backend, int round, int rank, int lane, Task task, double begin_ns) {
    const double end_ns = begin_ns + durations_.at(round, rank, task);
    free_ns_[at(rank, lane)] = end_ns;
    backend.sleep_until(end_ns);
    return end_ns;
  }

 private:
  std::size_t at(int rank, int lane) const { return static_cast<std::size_t>(rank * lanes_ + lane); }
  const Durations& durations_;
  int lanes_;
  std::vector<double> free_ns_;  // each entry belongs to one thread
};

}  // namespace moescope::reference

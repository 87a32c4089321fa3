// SPDX-License-Identifier: Apache-2.0
#include "collector/src/job_clocks.h"

#include <mutex>
#include <vector>

#include "collector/src/clock_sync.h"
#include "moescope/stage.h"

namespace moescope::collector {
namespace {

constinit std::mutex clocks_lock;

std::vector<JobClock>& clocks() {  // never destroyed: the flush thread reads it until the process is gone
  static auto* const all =
      new std::vector<JobClock>{{"monotonic", MOESCOPE_CLOCK_MONOTONIC}, {"realtime", MOESCOPE_CLOCK_REALTIME}};
  return *all;
}

}  // namespace

std::uint32_t job_clock_id(const char* name, int kind) {
  try {
    const std::string text = name == nullptr ? "" : name;
    const std::lock_guard lock(clocks_lock);
    std::vector<JobClock>& all = clocks();
    for (std::size_t i = kFirstJobClock; i < all.size(); ++i)
      if (all[i].kind == kind && all[i].name == text) return static_cast<std::uint32_t>(i);
    all.push_back({text, kind});
    return static_cast<std::uint32_t>(all.size() - 1);
  } catch (...) {
    return 0;
  }
}

bool job_clock_known(std::uint32_t id) {
  const std::lock_guard lock(clocks_lock);
  return id < clocks().size();
}

JobClock job_clock(std::uint32_t id) {
  const std::lock_guard lock(clocks_lock);
  return id < clocks().size() ? clocks()[id] : JobClock{"unknown", MOESCOPE_CLOCK_VIRTUAL};
}

void lock_job_clocks() {
  clocks_lock.lock();
}
void unlock_job_clocks() {
  clocks_lock.unlock();
}

}  // namespace moescope::collector

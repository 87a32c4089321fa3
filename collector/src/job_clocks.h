#pragma once
// SPDX-License-Identifier: Apache-2.0
// The clocks a job has named with moescope_clock(): discrete-event time, a paced clock, a device's timer. Ids hold for
// the process and its forked children.

#include <cstdint>
#include <string>

namespace moescope::collector {

struct JobClock {
  std::string name;
  int kind;
};

// The same name and kind give the same id, from kFirstJobClock. 0 where there is no memory. Any thread.
std::uint32_t job_clock_id(const char* name, int kind);
bool job_clock_known(std::uint32_t id);  // also the two system clocks
JobClock job_clock(std::uint32_t id);

// Around fork().
void lock_job_clocks();
void unlock_job_clocks();

}  // namespace moescope::collector

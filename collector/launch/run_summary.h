#pragma once
// SPDX-License-Identifier: Apache-2.0
// What lies in a RUN after the job: read from the run files, said in one line.

#include <cstdint>
#include <string>

namespace moescope::launch {

struct RunSummary {
  std::int64_t spans = 0, files = 0, ranks = 0;
  std::int64_t dropped = 0;        // events that came too fast, rows that the disk refused
  std::int64_t cut_short = 0;      // files whose process was killed
  std::int64_t still_written = 0;  // files whose process lives on
  std::int64_t unreadable = 0;
  std::int64_t gpu_not_recorded = 0;  // processes that use CUDA
  std::int64_t collector_cpu_ns = 0;  // flush threads, and the estimate for the job's threads
};

// Waits for processes of the job that live on, patience_ms at most. Files of killed processes are made whole from their
// logs (their record still says that it was cut short); files without any content go.
RunSummary summarise_run(const std::string& directory, int patience_ms);

// wall_ns: how long the job ran; 0: unknown. unreachable: why the command could not be reached (preload_check), or
// empty.
std::string summary_line(const RunSummary& summary, const std::string& directory, std::int64_t wall_ns,
                         const std::string& unreachable);

}  // namespace moescope::launch

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The RUN a job records into: its name, its identity, and that it is ours alone.

#include <string>

namespace moescope::launch {

struct RunDirectory {
  std::string path;    // absolute
  std::string run_id;  // empty: the job's launcher has given one to all its processes
  bool made = false;   // by us: taken away again where nothing was recorded
  std::string error;   // one line; empty: fine
};

// Makes `wanted` (empty: run-<time> here). Refuses one that holds something, unless this process is one of several that
// a launcher (Slurm, torchrun, MPI) started with a common job id: they share it.
RunDirectory prepare_run_directory(const std::string& wanted);

}  // namespace moescope::launch

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the environment tells the collector: where to write, how often, who this process is in the job.

#include <cstdint>
#include <string>

#include "collector/src/environment.h"

namespace moescope::collector {

struct Config {
  std::string directory;  // MOESCOPE_OUT; a relative path counts from the current directory
  std::int64_t flush_ms = 100;
  bool nvtx = true, cuda = true;  // MOESCOPE_ENABLE, a comma list; unset: all
  bool quiet = false;             // MOESCOPE_LOG=quiet: not even the one line about a failure
  std::string run_id, run_id_source;
  std::int64_t attempt = 0;
  std::int32_t rank = -1, world_size = -1, local_rank = -1, node = -1;
  std::string rank_source = "none";  // the variable that named the rank
};

Config read_config(const Environment& environment);

}  // namespace moescope::collector

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The command as a child in the foreground: same terminal, same process group, signals passed on, status taken over.

#include <cstdint>
#include <string>
#include <vector>

namespace moescope::launch {

struct Variable {
  std::string name, value;
};

struct JobEnd {
  int exec_error = 0;        // errno where the command could not be executed; nothing ran then
  int exit_code = 0;         // 128 + n where signal n ended it
  std::int64_t wall_ns = 0;  // how long it ran
};

JobEnd run_job(const std::vector<std::string>& command, const std::vector<Variable>& environment);

}  // namespace moescope::launch

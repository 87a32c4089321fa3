#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `moescope record` does: puts the collector in front of a command, runs it as if the shell had, and says in one
// line what was recorded.

#include <string>
#include <vector>

namespace moescope::launch {

// Exit statuses of the launcher itself, as of env and timeout.
inline constexpr int kLauncherFailed = 125, kCannotExecute = 126, kNotFound = 127;

struct Options {
  std::vector<std::string> command;
  std::string run_directory;             // empty: a new one in the current directory, named after the time
  std::vector<std::string> environment;  // NAME=VALUE, for the job
  long long flush_ms = 0;                // 0: the collector's default
  std::string enable;                    // MOESCOPE_ENABLE; empty: everything
  bool quiet = false;
};

// Returns the exit status for the shell: the command's, 128 + n where signal n ended it, or one of the above.
int launch(const Options& options);

}  // namespace moescope::launch

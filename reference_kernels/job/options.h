#pragma once
// SPDX-License-Identifier: Apache-2.0
// The command line of the job, turned into a checked JobSpec. Every refusal is one line: option, value, mend.

#include <stdexcept>
#include <string>

#include "reference_kernels/job/job_spec.h"

namespace moescope::reference {

struct UsageError : std::runtime_error {
  UsageError(std::string_view option, std::string_view value, std::string_view mend);
};

struct Command {
  enum class Kind { kRun, kList, kText } kind = Kind::kRun;
  JobSpec spec;
  bool json = false, quiet = false;
  std::string text;  // help or version, to print
};

// Throws UsageError.
Command parse_command(int argc, const char* const* argv);
// What `moescope-refmoe list` prints.
std::string list_text();

}  // namespace moescope::reference

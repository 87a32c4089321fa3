#pragma once
// SPDX-License-Identifier: Apache-2.0
// Thrown by a command whose words make no sense together; printed as one line, exit code 2.

#include <stdexcept>

namespace moescope::cli {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace moescope::cli

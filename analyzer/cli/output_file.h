#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where a command's result goes: a file that appears under its name only when whole, or standard output for "" and "-".

#include <string>

namespace moescope::cli {

// Throws TraceError where it can't be written.
void write_output(const std::string& path, const std::string& text);
// Standard output is a terminal that wants colours.
bool stdout_wants_color();

}  // namespace moescope::cli

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Writes a Trace as a run file: what `moescope import FILE -o RUN` leaves. The file appears under its name only when
// whole.

#include <string>

#include "analyzer/model/trace.h"

namespace moescope {

// directory is created where it isn't there. Returns the path of the file written. Throws TraceError.
std::string write_run_file(const Trace& trace, const std::string& directory, const std::string& tool_version);

}  // namespace moescope

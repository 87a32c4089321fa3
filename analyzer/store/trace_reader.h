#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads run files (SQLite, collector/trace/schema.h) into a Trace. Never writes to them: a file whose writer was killed
// is read together with its -wal, copied to the user's cache where its folder is read-only.

#include <string>
#include <vector>

#include "analyzer/model/trace.h"
#include "analyzer/model/trace_error.h"

namespace moescope {

// The run files a path stands for: itself, or the *.moe.db of a directory, sorted. Throws TraceError where there are
// none.
std::vector<std::string> run_files(const std::string& path);
bool is_sqlite_file(const std::string& path);
// Adds one run file to the builder. Throws TraceError: not ours, newer schema, damaged.
void read_run_file(const std::string& path, TraceBuilder& builder);

}  // namespace moescope

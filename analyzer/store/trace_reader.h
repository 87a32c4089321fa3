#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads run files (SQLite, collector/trace/schema.h) into a Trace. Never writes to them, nor beside them: see
// run_file_snapshot.h for how a file whose writer was killed is read together with its -wal.

#include <string>
#include <vector>

#include "analyzer/model/trace.h"
#include "analyzer/model/trace_error.h"

namespace moescope {

// The run files a path stands for: itself, or the *.moe.db of a directory, sorted. Throws TraceError where there are
// none.
std::vector<std::string> run_files(const std::string& path);
bool is_run_file_name(const std::string& name);  // *.moe.db, but not the derived data's
bool is_sqlite_file(const std::string& path);
// Adds one run file to the builder. Throws TraceError: not ours, newer schema, damaged. A file that was cut short, or
// came without its -wal, is not an error: its SourceFile says so.
void read_run_file(const std::string& path, TraceBuilder& builder);

}  // namespace moescope

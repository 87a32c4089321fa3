#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a path that the user named stands for: a file, a folder of run files, or a folder of traces, one a rank.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace moescope {

struct NamedFiles {
  std::vector<std::string> files;    // in order of their paths
  std::vector<std::string> skipped;  // in a folder of traces: what none of them is
};

using IsTrace = std::function<bool(const std::string& file, std::string_view head)>;

// A folder with run files (*.moe.db) is those. Else its traces are looked for by content, in its sub-folders too
// (rank0/trace.json, step_3/rank0.json.gz); is_trace gets each file and its first bytes, inflated. Hidden files and
// folders are passed over. Throws TraceError: no such path, a folder with neither.
NamedFiles named_files(const std::string& path, const IsTrace& is_trace);

// The first bytes of a file, inflated: enough to tell its format.
std::string head_of(const std::string& path);

// "FOLDER: 3 files are no traces and were left out: a.txt, b.csv, c.log"
std::string skipped_text(const std::string& folder, const std::vector<std::string>& skipped);

}  // namespace moescope

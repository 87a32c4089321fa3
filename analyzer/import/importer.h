#pragma once
// SPDX-License-Identifier: Apache-2.0
// One format, one Importer; importers.cpp holds THE list. A format is chosen by looking at content, never by the name
// alone.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/trace.h"
#include "analyzer/model/trace_error.h"

namespace moescope {

// bytes read so far, bytes in all (0: unknown). Called often, from the reading thread.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct ImportOptions {
  Progress progress;     // may be empty
  bool salvage = false;  // a truncated file: keep the complete events and mark the run as cut short
};

struct Importer {
  std::string_view name;         // "kineto"
  std::string_view description;  // for --help
  // Looks at the first 64 KiB of the content (after gunzip).
  bool (*sniff)(std::string_view head);
  // Reads one file into the builder. Throws TraceError.
  void (*read)(const std::string& path, const ImportOptions& options, TraceBuilder& builder);
  // A second look at a file whose head says yes, for containers whose content lies further in (SQLite). nullptr: the
  // head is enough. Never throws: a file that it can't look into is for read() to refuse.
  bool (*recognises)(const std::string& path) = nullptr;
};

std::span<const Importer> importers();

// Reads what the user named, whatever it is: run files, traces that an importer knows, directories of either, "-" for
// standard input (format "auto", or an importer's name, or "moescope"). All become one Trace. Throws TraceError:
// missing path, directory without runs, unknown format, mixed run_ids, two traces of one rank, no event at all.
Trace load_trace(const std::vector<std::string>& paths, const std::string& format, const ImportOptions& options);

}  // namespace moescope

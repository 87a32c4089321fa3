// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA runtime and driver: what launched device work, by process and correlation id.
#include <algorithm>
#include <cctype>

#include "analyzer/import/nsys_import.h"

namespace moescope {
namespace {

// "cudaLaunchKernel_v7000": the version of the call's interface is no part of its name for us.
std::string without_version(std::string name) {
  const std::size_t at = name.rfind("_v");
  if (at != std::string::npos && at + 2 < name.size() &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at) + 2, name.end(),
                  [](unsigned char c) { return std::isdigit(c) != 0; }))
    name.resize(at);
  return name;
}

void calls_of(NsysImport& import, const std::string& table, NsysStrings& names) {
  if (!import.file.has(table)) return;
  Context context;
  context.kind = SpanKind::kRUNTIME;
  context.source = Source::kNSYS;
  const ContextId id = import.builder.context(context);
  NsysRows rows(import.file, table,
                {needed("start"), needed("end"), {"globalTid"}, {"correlationId"}, needed("nameId")});
  for (Ns start = 0, duration = 0; rows.next(); import.progress(rows)) {
    if (!import.times(rows.integer(0), rows.integer(1), &start, &duration)) continue;
    const TrackId track = import.processes.thread(rows.integer_or(2, 0));
    if (!track.valid()) {
      ++import.left_out_host;
      continue;
    }
    import.span(start, duration, track, names.name(rows.integer_or(4, -1)), id, rows.integer_or(3, 0), -1);
    ++import.calls;
  }
  import.done(table);
}

}  // namespace

void read_nsys_calls(NsysImport& import) {
  NsysStrings names(import.file, import.builder, without_version);
  calls_of(import, "CUPTI_ACTIVITY_KIND_RUNTIME", names);
  calls_of(import, "CUPTI_ACTIVITY_KIND_DRIVER", names);
  import.dangling += names.dangling();
}

}  // namespace moescope

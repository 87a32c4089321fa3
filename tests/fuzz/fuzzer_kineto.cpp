// SPDX-License-Identifier: Apache-2.0
// libFuzzer: a Kineto file, plain or gzip. It is read or refused in one line; what is read holds together, salvage
// keeps no less; and its events come out the same through a window of a few bytes.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "analyzer/import/byte_source.h"
#include "analyzer/import/importer.h"
#include "analyzer/import/kineto_event.h"

using namespace moescope;

namespace {

// The importer reads files; this one has no place on a disk.
const std::string& file_of(const std::uint8_t* data, std::size_t size) {
  static const int kFile = memfd_create("kineto", 0);
  static const std::string kPath = "/proc/self/fd/" + std::to_string(kFile);
  if (kFile < 0 || ftruncate(kFile, 0) != 0 || pwrite(kFile, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return kPath;
}

void check(bool holds) {
  if (!holds) std::abort();
}

std::optional<Trace> trace_of(const std::string& path, bool salvage) {
  ImportOptions options;
  options.salvage = salvage;
  try {
    return load_trace({path}, "kineto", options);
  } catch (const TraceError& error) {
    const std::string message = error.what();
    check(message.starts_with(path) && message.find('\n') == std::string::npos);
    return std::nullopt;
  }
}

void check_whole(const Trace& trace) {
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    check(trace.spans.duration[row] >= 0);
    check(trace.track_of(row).rank.valid() && trace.track_of(row).clock.valid());
    check(static_cast<std::size_t>(trace.spans.name[row]) < trace.names.size());
  }
  for (const Collective& one : trace.collectives) {
    check(one.span >= 0 && one.span < static_cast<std::int64_t>(trace.spans.size()));
    check(one.comm_group < static_cast<std::int32_t>(trace.comm_groups.size()));
    check(one.in_splits.empty() || static_cast<std::int32_t>(one.in_splits.size()) == one.group_size);
  }
}

// The names of all events, a line each; nullopt where the text is refused.
std::optional<std::string> names_of(const std::string& path, std::size_t window) {
  std::string names;
  KinetoEventParser parser;
  const auto take = [&names](const KinetoEvent& event) { names.append(event.name) += '\n'; };
  EventStreamHandler handler;
  handler.events = [&](const EventRun& run) { return parser.parse(run, path, take); };
  try {
    const auto source = open_bytes(path);
    read_event_stream(*source, path, false, handler, window);
  } catch (const TraceError&) {
    return std::nullopt;
  }
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string& path = file_of(data, size);
  const auto strict = trace_of(path, false), salvaged = trace_of(path, true);
  if (strict) {
    check_whole(*strict);
    check(salvaged && salvaged->spans.size() == strict->spans.size());
  }
  if (salvaged) check_whole(*salvaged);
  // Commas are looked at within a run only, so a small window may accept what a large one refuses.
  const auto large = names_of(path, 1 << 20), small = names_of(path, 16);
  if (large && small) check(*large == *small);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Nsight Systems exports (nsys export --type sqlite), plain or gzip.
#include "analyzer/import/nsys.h"

#include <algorithm>

#include "analyzer/import/nsys_import.h"
#include "collector/trace/schema.h"

namespace moescope {
namespace {

constexpr Ns kFarthest = Ns{1} << 61;  // times beyond are not times; sums of two stay inside 64 bits

// What is read row by row. Rows of the first become spans.
constexpr const char* kSpanTables[] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                       "CUPTI_ACTIVITY_KIND_MEMCPY",
                                       "CUPTI_ACTIVITY_KIND_MEMSET",
                                       "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                       "CUPTI_ACTIVITY_KIND_RUNTIME",
                                       "CUPTI_ACTIVITY_KIND_DRIVER",
                                       "NVTX_EVENTS"};
constexpr const char* kSampleTables[] = {"GPU_METRICS", "NET_NIC_METRIC"};

// SQLite, but not a run file of ours: bytes 68 to 71 are the application's mark.
bool sniff(std::string_view head) {
  if (head.size() < 100 || !head.starts_with(std::string_view("SQLite format 3\0", 16))) return false;
  std::uint32_t application = 0;
  for (std::size_t i = 68; i < 72; ++i) application = application << 8 | static_cast<unsigned char>(head[i]);
  return application != static_cast<std::uint32_t>(trace::kApplicationId);
}

bool is_export(const NsysFile& file) {
  const std::vector<std::string> tables = file.tables();
  return std::any_of(tables.begin(), tables.end(), [](const std::string& table) {
    return table == "META_DATA_EXPORT" || table == "EXPORT_META_DATA" || table == "TARGET_INFO_SESSION_START_TIME" ||
           table.starts_with("CUPTI_ACTIVITY_KIND_") || table == "NVTX_EVENTS";
  });
}

// read() says what is wrong with a file that can't be looked into; gzip is not inflated twice for a look.
bool recognises(const std::string& path) {
  try {
    return NsysFile::is_gzip(path) || is_export(NsysFile(path));
  } catch (const TraceError&) {
    return true;
  }
}

void read(const std::string& path, const ImportOptions& options, TraceBuilder& builder) {
  NsysImport import(path, options, builder);
  if (!is_export(import.file))
    throw TraceError(path, "", "a SQLite file, but no export of Nsight Systems",
                     "export a report: nsys export --type sqlite");
  read_nsys_session(import);
  read_nsys_device_work(import);
  read_nsys_calls(import);
  read_nsys_nvtx(import);
  if (builder.trace().spans.size() == import.first_row)
    throw TraceError(path, "", "no event in it",
                     import.without_time > 0 ? "its events have no usable times; export it again"
                                             : "record it with nsys profile --trace=cuda,nvtx");
  settle_nsys_ranks(import);
  settle_nsys_collectives(import);
  read_nsys_devices(import);
  read_nsys_counters(import);
  read_nsys_diagnostics(import);
}

}  // namespace

NsysImport::NsysImport(const std::string& path, const ImportOptions& import_options, TraceBuilder& trace_builder)
    : options(import_options),
      builder(trace_builder),
      file(path),
      strings(file, builder),
      processes(builder),
      first_row(builder.trace().spans.size()) {
  for (const char* table : kSpanTables) rows_in_all_ += file.rows(table);
  // More than there are where rows were deleted; that costs addresses, not memory.
  builder.trace().spans.reserve(
      first_row + static_cast<std::size_t>(std::min(rows_in_all_, static_cast<std::int64_t>(file.bytes() / 16))));
  for (const char* table : kSampleTables) rows_in_all_ += file.rows(table);
}

bool NsysImport::times(std::optional<std::int64_t> start, std::optional<std::int64_t> end, Ns* from, Ns* duration) {
  if (!start || !end || *start > kFarthest || *start < -kFarthest || *end > kFarthest || *end < *start) {
    ++without_time;
    return false;
  }
  *from = *start + base_ns;
  *duration = *end - *start;
  return true;
}

void NsysImport::span(Ns start, Ns duration, TrackId track, NameId name, ContextId context, std::int64_t correlation,
                      std::int64_t bytes) {
  if (builder.trace().spans.size() == first_row) first = start, last = start + duration;
  first = std::min(first, start);
  last = std::max(last, start + duration);
  builder.span(start, duration, track, name, context, correlation, bytes);
}

void NsysImport::diagnostic(const char* severity, const char* code, std::uint64_t count, std::string detail) {
  builder.trace().diagnostics.push_back({severity, code, static_cast<std::int64_t>(count), std::move(detail)});
}

void NsysImport::done(const std::string& table) {
  rows_done_ += file.rows(table);
  tell_progress(0);
}

void NsysImport::tell_progress(std::int64_t row) {
  if (!options.progress || rows_in_all_ == 0) return;
  const double part = static_cast<double>(rows_done_ + row) / static_cast<double>(rows_in_all_);
  options.progress(static_cast<std::uint64_t>(std::min(1.0, part) * static_cast<double>(file.bytes())), file.bytes());
}

const Importer& nsys_importer() {
  static constexpr Importer kImporter{"nsys", "Nsight Systems exports (nsys export --type sqlite), plain or gzip",
                                      sniff, read, recognises};
  return kImporter;
}

}  // namespace moescope

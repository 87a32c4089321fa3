// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>

#include "analyzer/import/byte_source.h"
#include "analyzer/import/importer.h"
#include "analyzer/import/kineto.h"
#include "analyzer/store/trace_reader.h"

namespace moescope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunFile = "moescope";

// THE list. The first whose sniff says yes reads the file, so the pickier ones come first.
std::array<Importer, 1> list() {
  return {kineto_importer()};
}

std::string known_formats() {
  std::string text(kRunFile);
  for (const Importer& importer : importers()) text += ", " + std::string(importer.name);
  return text;
}

std::string head_of(const std::string& path) {
  const auto source = open_bytes(path, OnEarlyEnd::kStop);
  std::string head(4096, '\0');
  head.resize(source->read(head.data(), head.size()));
  return head;
}

const Importer& choose(const std::string& path, const std::string& format) {
  if (format != "auto") {
    for (const Importer& importer : importers())
      if (importer.name == format) return importer;
    throw TraceError(path, "", "unknown format \"" + format + "\"", "use auto, " + known_formats());
  }
  const std::string head = head_of(path);
  if (head.empty()) throw TraceError(path, "", "the file is empty", "record it again");
  for (const Importer& importer : importers())
    if (importer.sniff(head)) return importer;
  throw TraceError(path, "", "a format this version does not know", "it reads " + known_formats());
}

bool is_trace_json(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

// A run file whose writer was killed at once may still be empty: its name tells.
bool is_run_file(const std::string& path) {
  return is_sqlite_file(path) || is_run_file_name(fs::path(path).filename().string());
}

// A directory is a run of run files, or else a set of traces, one a rank.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw TraceError(path, "", "no such file or directory", "check the path");
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> runs, traces;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (!entry.is_regular_file()) continue;
    if (is_run_file_name(entry.path().filename().string()))
      runs.push_back(entry.path().string());
    else if (is_trace_json(entry.path()))
      traces.push_back(entry.path().string());
  }
  if (runs.empty() && !traces.empty()) {
    std::sort(traces.begin(), traces.end());
    return traces;
  }
  return run_files(path);  // throws where there are none
}

void check_one_run(const Trace& trace) {
  const SourceFile* first = nullptr;
  for (const SourceFile& file : trace.files) {
    if (file.run_id.empty()) continue;
    if (first && first->run_id != file.run_id)
      throw TraceError(file.path, "",
                       "belongs to run " + file.run_id + ", but " + first->path + " to run " + first->run_id,
                       "name files of one run, or use compare");
    first = &file;
  }
}

}  // namespace

std::span<const Importer> importers() {
  static const auto kList = list();
  return kList;
}

Trace load_trace(const std::vector<std::string>& paths, const std::string& format, const ImportOptions& options) {
  if (paths.empty()) throw TraceError("(nothing)", "", "no run was named", "name a run directory or a trace file");
  TraceBuilder builder;
  for (const std::string& path : paths)
    for (const std::string& file : files_of(path)) {
      if (format == kRunFile || (format == "auto" && is_run_file(file)))
        read_run_file(file, builder);
      else
        choose(file, format).read(file, options, builder);
      check_one_run(builder.trace());
    }
  Trace trace = builder.finish();
  if (trace.spans.size() == 0 && trace.steps.empty() && trace.router_loads.empty() && !trace.cut_short())
    throw TraceError(paths.front(), "", "no event in it", "record it again");
  return trace;
}

}  // namespace moescope

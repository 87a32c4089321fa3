// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>

#include "analyzer/import/foreign_format.h"
#include "analyzer/import/importer.h"
#include "analyzer/import/kineto.h"
#include "analyzer/import/nccl_inspector.h"
#include "analyzer/import/nsys.h"
#include "analyzer/import/router.h"
#include "analyzer/import/synthetic_routing.h"
#include "analyzer/import/trace_folder.h"
#include "analyzer/store/trace_reader.h"

namespace moescope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunFile = "moescope";

// THE list. The first whose sniff says yes reads the file, so the pickier ones come first.
std::array<Importer, 4> list() {
  return {router_importer(), nccl_inspector_importer(), kineto_importer(), nsys_importer()};
}

std::string known_formats() {
  std::string text(kRunFile);
  for (const Importer& importer : importers()) text += ", " + std::string(importer.name);
  return text;
}

const Importer* by_name(std::string_view name) {
  for (const Importer& importer : importers())
    if (importer.name == name) return &importer;
  return nullptr;
}

const Importer* by_content(const std::string& path, std::string_view head) {
  for (const Importer& importer : importers())
    if (importer.sniff(head) && (importer.recognises == nullptr || importer.recognises(path))) return &importer;
  return nullptr;
}

const Importer& choose(const std::string& path, const std::string& format) {
  if (format != "auto") {
    if (const Importer* known = by_name(format)) return *known;
    throw TraceError(path, "", "unknown format \"" + format + "\"", "use auto, " + known_formats());
  }
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return kineto_importer();  // a pipe can be read only once
  const std::string head = head_of(path);
  if (head.empty()) throw TraceError(path, "", "the file is empty", "record it again");
  if (const Importer* known = by_content(path, head)) return *known;
  if (const auto foreign = foreign_format(head, path)) throw TraceError(path, "", foreign->what, foreign->mend);
  // JSON of no format in particular: what is amiss is best said by the one that reads all.
  if (is_json(head)) return kineto_importer();
  throw TraceError(path, "", "a format this version does not know", "it reads " + known_formats());
}

// A run file whose writer was killed at once may still be empty: its name tells. SQLite that no importer knows is held
// for one: the store says what is wrong with it.
bool is_run_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  if (is_run_file_name(fs::path(path).filename().string())) return true;
  return is_sqlite_file(path) && by_content(path, head_of(path)) == nullptr;
}

// One bar over all files, in bytes on disk.
class OverallProgress {
 public:
  OverallProgress(const ImportOptions& options, const std::vector<std::string>& files) : options_(options) {
    for (const std::string& file : files) {
      std::error_code error;
      const auto size = fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0;
      sizes_.push_back(error ? 0 : size);
      total_ += sizes_.back();
    }
  }
  ImportOptions of_next_file() const {
    ImportOptions options = options_;
    if (options.progress)
      options.progress = [this](std::uint64_t done, std::uint64_t) { options_.progress(before_ + done, total_); };
    return options;
  }
  void file_done() {
    before_ += sizes_[next_++];
    if (options_.progress) options_.progress(before_, total_);
  }

 private:
  const ImportOptions& options_;
  std::vector<std::uint64_t> sizes_;
  std::uint64_t total_ = 0, before_ = 0;
  std::size_t next_ = 0;
};

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
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path == "-") {
      files.emplace_back("/dev/stdin");
      continue;
    }
    NamedFiles named = named_files(
        path, [](const std::string& file, std::string_view head) { return by_content(file, head) != nullptr; });
    files.insert(files.end(), named.files.begin(), named.files.end());
    if (!named.skipped.empty())
      builder.trace().diagnostics.push_back(
          {"info", "file_skipped", static_cast<std::int64_t>(named.skipped.size()), skipped_text(path, named.skipped)});
  }
  // Timelines first: a log of collectives beside one adds to it what it lacks.
  std::vector<std::pair<std::string, const Importer*>> chosen;  // none: a run file
  for (const std::string& file : files)
    chosen.emplace_back(
        file, format == kRunFile || (format == "auto" && is_run_file(file)) ? nullptr : &choose(file, format));
  std::stable_partition(chosen.begin(), chosen.end(), [](const auto& one) {
    return one.second == nullptr || one.second->name != nccl_inspector_importer().name;
  });
  files.clear();
  for (const auto& [file, importer] : chosen) files.push_back(file);
  OverallProgress progress(options, files);
  for (const auto& [file, importer] : chosen) {
    if (importer == nullptr)
      read_run_file(file, builder);
    else
      importer->read(file, progress.of_next_file(), builder);
    progress.file_done();
    check_one_run(builder.trace());
  }
  Trace trace = builder.finish();
  settle_synthetic_routing(trace);
  if (trace.spans.size() == 0 && trace.steps.empty() && trace.router_loads.empty() && trace.expert_placements.empty() &&
      trace.collectives.empty() && !trace.cut_short())
    throw TraceError(paths.front(), "", "no event in it", "record it again");
  return trace;
}

}  // namespace moescope

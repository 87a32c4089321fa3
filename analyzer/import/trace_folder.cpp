// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/trace_folder.h"

#include <algorithm>
#include <filesystem>

#include "analyzer/import/byte_source.h"
#include "analyzer/import/foreign_format.h"
#include "analyzer/model/trace_error.h"
#include "analyzer/store/trace_reader.h"

namespace moescope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHead = 64 * 1024;  // bytes: device properties and groups may stand before the first event
constexpr int kDeepest = 4;               // sub-folders below the one that was named
constexpr std::size_t kNamed = 6;         // of the skipped files

bool has_run_files(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_run_file_name(entry.path().filename().string())) return true;
  return false;
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, options, error); at != fs::recursive_directory_iterator();
       at.increment(error)) {
    if (error) throw TraceError(folder, "", error.message(), "check that you may read it");
    const bool hidden = at->path().filename().string().starts_with('.');
    if (at->is_directory(error)) {
      if (hidden || at.depth() >= kDeepest) at.disable_recursion_pending();
    } else if (!hidden && at->is_regular_file(error)) {
      files.push_back(at->path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string head_of(const std::string& path) {
  const auto source = open_bytes(path, OnEarlyEnd::kStop);
  std::string head(kHead, '\0');
  head.resize(source->read(head.data(), head.size()));
  return head;
}

NamedFiles named_files(const std::string& path, const IsTrace& is_trace) {
  std::error_code error;
  if (!fs::exists(path, error)) throw TraceError(path, "", "no such file or directory", "check the path");
  if (!fs::is_directory(path, error)) return {{path}, {}};
  NamedFiles named;
  if (!has_run_files(path))
    for (const std::string& file : files_below(path))
      (is_trace(file, head_of(file)) ? named.files : named.skipped).push_back(file);
  if (!named.files.empty()) return named;
  if (!named.skipped.empty()) {
    const std::string& first = named.skipped.front();
    const auto foreign = foreign_format(head_of(first), first);
    throw TraceError(path, "",
                     "neither run files (*.moe.db) nor traces in it; " + fs::path(first).filename().string() + " is " +
                         (foreign ? foreign->what : "of a format this version does not know"),
                     foreign ? foreign->mend : "name the folder that holds them");
  }
  return {run_files(path), {}};  // throws where there are none
}

std::string skipped_text(const std::string& folder, const std::vector<std::string>& skipped) {
  std::string text =
      folder + ": " + std::to_string(skipped.size()) +
      (skipped.size() == 1 ? " file is no trace and was left out: " : " files are no traces and were left out: ");
  for (std::size_t i = 0; i < std::min(skipped.size(), kNamed); ++i)
    text += (i ? ", " : "") + fs::path(skipped[i]).lexically_relative(folder).string();
  return skipped.size() > kNamed ? text + ", ..." : text;
}

}  // namespace moescope

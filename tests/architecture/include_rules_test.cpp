// SPDX-License-Identifier: Apache-2.0
// Who may include whom (the house's picture, as a table), and who may see which library. Every #include of every file
// is held against it.
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/architecture/source_tree.h"
#include "tests/support/catch.h"

using namespace moescope::test;

namespace {

// The longest prefix wins. A folder may always include itself.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"collector/include", {}},
    {"collector/trace", {"collector/include"}},
    {"collector/src", {"collector/include", "collector/trace"}},
    {"collector/launch", {"collector/include", "collector/trace"}},
    {"analyzer/model", {"collector/include"}},
    {"analyzer/store", {"collector/include", "collector/trace", "analyzer/model"}},
    {"analyzer/import", {"collector/include", "collector/trace", "analyzer/model", "analyzer/store"}},
    {"analyzer/stage", {"collector/include", "analyzer/model"}},
    {"analyzer/metric", {"collector/include", "analyzer/model", "analyzer/stage"}},
    {"analyzer/compare", {"collector/include", "analyzer/model", "analyzer/stage", "analyzer/metric"}},
    {"analyzer/report",
     {"collector/include", "analyzer/model", "analyzer/stage", "analyzer/metric", "analyzer/compare", "gui/core"}},
    {"analyzer/cli",
     {"collector/include", "collector/launch", "analyzer/model", "analyzer/store", "analyzer/import", "analyzer/stage",
      "analyzer/metric", "analyzer/compare", "analyzer/report"}},
    {"gui/core", {"collector/include", "analyzer/model", "analyzer/stage", "analyzer/metric"}},
    {"gui/document",
     {"collector/include", "gui/core", "analyzer/model", "analyzer/store", "analyzer/import", "analyzer/stage",
      "analyzer/metric", "analyzer/compare"}},
    {"gui/timeline",
     {"collector/include", "gui/core", "gui/document", "analyzer/model", "analyzer/stage", "analyzer/metric"}},
    {"gui/views",
     {"collector/include", "gui/core", "gui/document", "gui/timeline", "analyzer/model", "analyzer/stage",
      "analyzer/metric"}},
    {"gui/app",
     {"collector/include", "gui/core", "gui/document", "gui/timeline", "gui/views", "analyzer/model", "analyzer/stage",
      "analyzer/metric"}},
    {"reference_kernels", {"collector/include"}},
    {"samples", {"collector/include"}},
};

// Libraries that only some folders may see.
const std::map<std::string, std::set<std::string>> kLibraryFolders = {
    {"sqlite3.h", {"collector/trace", "analyzer/store"}},
    {"CLI/", {"analyzer/cli", "gui/app", "reference_kernels/job", "collector/launch"}},
    {"simdjson.h", {"analyzer/import"}},
    {"toml++/", {"analyzer/compare", "analyzer/cli", "analyzer/stage"}},
    {"Q", {"gui/document", "gui/timeline", "gui/views", "gui/app"}},
    {"cupti", {"collector/src"}},
    {"nvml", {"collector/src"}},
    {"nccl", {"collector/src"}},
    {"zlib.h", {"analyzer/import"}},
    {"isa-l", {"analyzer/import"}},
};

std::string folder_of(const std::string& path) {
  std::string best;
  for (const auto& [folder, allowed] : kMayInclude)
    if (path.starts_with(folder + "/") && folder.size() > best.size()) best = folder;
  return best;
}

struct Include {
  std::string file, what;
  bool quoted = false;
  int line = 0;
};

std::vector<Include> includes_of(const std::string& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  std::vector<Include> found;
  std::istringstream lines(read(file));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (line.size() < 400 && std::regex_search(line, match, pattern))
      found.push_back({file, match[2].str(), match[1].str() == "\"", number});
  }
  return found;
}

}  // namespace

TEST_CASE("every include keeps to the house's picture") {
  std::string offences;
  for (const std::string& file : source_files()) {
    if (!is_source(file) || file.starts_with("tests/")) continue;
    const std::string from = folder_of(file);
    if (from.empty()) {
      offences += file + ": its folder is not in the table\n";
      continue;
    }
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      const std::string target =
          include.what.starts_with("moescope/") ? "collector/include/" + include.what : include.what;
      const std::string to = folder_of(target);
      const bool allowed = !to.empty() && (to == from || kMayInclude.at(from).count(to) > 0);
      if (!allowed)
        offences += file + ":" + std::to_string(include.line) + ": " + from + " may not include " + include.what + "\n";
    }
  }
  INFO(offences);
  CHECK(offences.empty());
}

TEST_CASE("each library is seen only where it belongs") {
  std::string offences;
  for (const std::string& file : source_files()) {
    if (!is_source(file) || file.starts_with("tests/")) continue;
    const std::string from = folder_of(file);
    for (const Include& include : includes_of(file)) {
      if (include.quoted) continue;
      for (const auto& [library, folders] : kLibraryFolders) {
        const bool qt = library == "Q";
        const bool match = qt ? include.what.size() > 1 && include.what[0] == 'Q' && std::isupper(include.what[1])
                              : include.what.starts_with(library);
        const bool allowed = std::any_of(folders.begin(), folders.end(),
                                         [&](const std::string& folder) { return file.starts_with(folder + "/"); });
        if (match && !allowed)
          offences +=
              file + ":" + std::to_string(include.line) + ": <" + include.what + "> has no place in " + from + "\n";
      }
    }
  }
  INFO(offences);
  CHECK(offences.empty());
}

TEST_CASE("the table knows every folder that has code") {
  // A rule for a folder that is gone would hide the next mistake.
  for (const auto& [folder, allowed] : kMayInclude) {
    CAPTURE(folder);
    CHECK(std::filesystem::is_directory(source_root() / folder));
    for (const std::string& target : allowed) CHECK(kMayInclude.count(target) == 1);
  }
}

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs a program under the real LD_PRELOAD of the built libmoescope.so and finds what it recorded.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/collector/trace/sqlite_query.h"

namespace moescope::test {

#ifdef MOESCOPE_SANITIZED
#define SKIP_WHERE_NOTHING_CAN_BE_PRELOADED() \
  MOESCOPE_SKIP("a sanitizer's runtime must come first in a process: nothing can be preloaded before it")
#else
#define SKIP_WHERE_NOTHING_CAN_BE_PRELOADED() static_cast<void>(0)
#endif

inline std::string collector_library() {
  return MOESCOPE_BUILD_DIR "/lib/libmoescope.so";
}
inline std::string test_program(const std::string& name) {
  return MOESCOPE_BUILD_DIR "/tests/" + name;
}

// Variables a test must not inherit.
inline std::vector<std::string> preload(const ScratchFolder& out, std::vector<std::string> more = {}) {
  std::vector<std::string> environment = {"LD_PRELOAD=" + collector_library(), "MOESCOPE_OUT=" + out.path() + "/run"};
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

inline Ran run_recorded(const ScratchFolder& out, const std::vector<std::string>& argv,
                        std::vector<std::string> more = {}) {
  return run(argv, preload(out, std::move(more)));
}

inline std::vector<std::string> recorded_files(const ScratchFolder& out) {
  std::vector<std::string> files;
  if (!std::filesystem::exists(out / "run")) return files;
  for (const auto& entry : std::filesystem::directory_iterator(out / "run"))
    if (entry.path().string().ends_with(".moe.db")) files.push_back(entry.path());
  return files;
}

inline std::string only_recorded_file(const ScratchFolder& out) {
  const auto files = recorded_files(out);
  CAPTURE(files);
  REQUIRE(files.size() == 1);
  return files[0];
}

// {span name, count, end_kind} of each file, in the order of the names.
inline std::vector<Row> what_was_recorded(const ScratchFolder& out) {
  std::vector<Row> all;
  for (const std::string& file : recorded_files(out)) {
    if (number(file, "SELECT count(*) FROM sqlite_master WHERE name='stage_span'") == 0) continue;  // killed, or new
    CHECK(value(file, "PRAGMA integrity_check") == "ok");
    for (const Row& row : query(file,
                                "SELECT name, count(*), coalesce((SELECT end_kind FROM run), 'cut short') "
                                "FROM stage_span GROUP BY name"))
      all.push_back(row);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace moescope::test

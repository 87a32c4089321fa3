// SPDX-License-Identifier: Apache-2.0
// Runs one declarative case: copies its folder to a scratch place, makes a run of each NAME.sql (NAME/host-1-0.moe.db),
// runs `command` with sh and holds what it printed, and its exit status, against expected.txt.
//   case_runner CASE_FOLDER BIN_FOLDER [--accept]     --accept writes expected.txt: read the change before you keep it
#include <cstdio>
#include <filesystem>
#include <string>

#include "collector/trace/database.h"
#include "collector/trace/schema.h"
#include "tests/support/process.h"

namespace fs = std::filesystem;
using namespace moescope;

namespace {

bool make_run(const fs::path& sql, const fs::path& cases, const fs::path& scratch) {
  const fs::path folder = scratch / sql.stem();
  fs::create_directory(folder);
  trace::Database database;
  const trace::Status opened =
      trace::Database::open((folder / (std::string("host-1-0") + trace::kRunFileSuffix)).string(),
                            trace::Database::Mode::kCreateExclusive, &database);
  const std::string pragmas = "PRAGMA application_id = " + std::to_string(trace::kApplicationId) +
                              "; PRAGMA user_version = " + std::to_string(trace::kSchemaVersion) + ";";
  const std::string texts[] = {pragmas,
                               trace::raw_schema_sql(),
                               trace::enum_values_sql(),
                               test::contents((cases / "prelude.sql").string()),
                               test::contents(sql.string()),
                               test::contents((cases / "postlude.sql").string())};
  if (!opened) return std::printf("%s: %s\n", sql.c_str(), opened.error.c_str()), false;
  for (const std::string& text : texts)
    if (const trace::Status done = database.execute(text.c_str()); !done)
      return std::printf("%s: %s\n", sql.c_str(), done.error.c_str()), false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::puts("case_runner CASE_FOLDER BIN_FOLDER [--accept]"), 2;
  const fs::path folder = fs::canonical(argv[1]), programs = fs::canonical(argv[2]);
  const test::ScratchFolder scratch;
  for (const auto& entry : fs::directory_iterator(folder)) {
    fs::copy(entry.path(), fs::path(scratch.path()) / entry.path().filename());
    if (entry.path().extension() == ".sql" && !make_run(entry.path(), folder.parent_path(), scratch.path())) return 1;
  }
  const char* const path = std::getenv("PATH");
  const test::Ran ran =
      test::run({"sh", "./command"}, {"PATH=" + programs.string() + ":" + (path != nullptr ? path : ""), "LC_ALL=C"},
                scratch.path());
  const std::string got =
      ran.out + (ran.err.empty() ? "" : "--- stderr\n" + ran.err) + "--- exit " + std::to_string(ran.exit_code) + "\n";
  const std::string expected_path = (folder / "expected.txt").string();
  if (argc > 3 && std::string(argv[3]) == "--accept") {
    test::write_file(expected_path, got);
    return 0;
  }
  if (got == test::contents(expected_path)) return 0;
  test::write_file(scratch / "got", got);
  std::fputs(
      test::run({"diff", "-u", "--label", "expected", "--label", "got", expected_path, scratch / "got"}).out.c_str(),
      stdout);
  return 1;
}

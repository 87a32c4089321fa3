// SPDX-License-Identifier: Apache-2.0
// kill -9 in the middle of a recorded job: the run file is sound, and the report says that the run was cut short.
#include <chrono>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;

namespace {

std::string run_file_of(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".db") return entry.path().string();
  return {};
}

}  // namespace

TEST_CASE("a killed job leaves a sound run file and an honest report") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("a sanitizer's run-time library can't be preloaded together with the collector");
#endif
  if (run({"sqlite3", "--version"}).exit_code != 0) MOESCOPE_SKIP("sqlite3 is not installed (apt-get install sqlite3)");
  const ScratchFolder scratch;
  const std::string folder = scratch / "run";
  // The job would go on for minutes; its pid is in the run file's name.
  const pid_t recorder = start({program("moescope"), "record", "-o", folder, "--", program("moescope-refmoe"),
                                "--clock", "paced", "--steps", "5000"},
                               scratch / "out", scratch / "err");
  std::string file;
  long spans = 0;
  for (int attempt = 0; attempt < 200 && spans < 100; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    file = run_file_of(folder);
    if (!file.empty()) spans = std::atol(run({"sqlite3", "-readonly", file, "SELECT count(*) FROM span"}).out.c_str());
  }
  REQUIRE(spans >= 100);
  const std::string stem = std::filesystem::path(file).stem().stem().string();  // host-pid-start
  const std::string without_start = stem.substr(0, stem.rfind('-'));
  const int pid = std::atoi(without_start.substr(without_start.rfind('-') + 1).c_str());
  REQUIRE(pid > 1);
  REQUIRE(kill(pid, SIGKILL) == 0);
  CHECK(wait_for(recorder) == 128 + SIGKILL);
  CHECK(contents(scratch / "err").find("cut short") != std::string::npos);

  // The user reads it first through the report, as it lies there.
  const Ran text = run({program("moescope"), "report", folder});
  INFO(text.out << text.err);
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("cut short") != std::string::npos);
  const Ran json = run({program("moescope"), "report", "--format", "json", folder});
  CHECK(json.exit_code == 0);
  CHECK(json.out.find("\"cut_short\": true") != std::string::npos);
  CHECK(run({"sqlite3", file, "PRAGMA integrity_check"}).out == "ok\n");
  CHECK(std::atol(run({"sqlite3", file, "SELECT count(*) FROM span"}).out.c_str()) >= spans);
}

// SPDX-License-Identifier: Apache-2.0
// `moescope record` as a user has it.
#include <sys/stat.h>

#include <regex>

#include "collector/launch/preload_check.h"
#include "collector/launch/run_summary.h"
#include "tests/collector/preload/recorded.h"

using namespace moescope::test;
namespace launch = moescope::launch;

namespace {

const std::string kJob = test_program("collector_job");

std::vector<std::string> record(const std::vector<std::string>& options, const std::vector<std::string>& command) {
  std::vector<std::string> argv = {program("moescope"), "record"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.push_back("--");
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

}  // namespace

TEST_CASE("A job is recorded into a new run, and one line says so") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran = run(record({"-o", out / "run"}, {kJob, "threads", "4"}));
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.empty());
  CHECK(ran.error_lines() == 1);
  CHECK(std::regex_search(ran.err,
                          std::regex("^moescope: 160,000 spans of 4 ranks in 1 file in .*/run; nothing dropped; "
                                     "the collector took [0-9.]+ ms of CPU in [0-9.]+ s, [0-9.]+ % of a core\n$")));
  CHECK(number(only_recorded_file(out), "SELECT count(*) FROM span") == 160000);
  CHECK(value(only_recorded_file(out), "SELECT run_id_source FROM run") == "moescope");
}

TEST_CASE("Without -o the run is named after the time; --quiet says nothing") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran = run({program("moescope"), "--quiet", "record", "--", kJob, "spans", "5"}, {}, out.path());
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  const auto files = files_in(out);
  REQUIRE(files.size() == 1);
  CHECK(std::regex_match(files[0], std::regex(R"(run-\d{8}-\d{6})")));
}

TEST_CASE("The job's exit status is record's, signals included") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  int n = 0;
  const auto status = [&](const std::vector<std::string>& command) {
    return run(record({"-o", out / ("r" + std::to_string(n++))}, command)).exit_code;
  };
  for (const int code : {0, 1, 2, 42, 125, 255}) CHECK(status({kJob, "status", std::to_string(code)}) == code);
  for (const int signal : {SIGTERM, SIGKILL, SIGINT, SIGSEGV, SIGABRT, SIGHUP})
    CHECK(status({kJob, "signal", std::to_string(signal)}) == 128 + signal);
  CHECK(status({"sh", "-c", "exit 7"}) == 7);
}

TEST_CASE("Signals to record reach the job") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    ScratchFolder out;
    const pid_t recorder =
        start(record({"-o", out / "run"}, {kJob, "wait-for-signal"}), out / "out", out / "err", {"MOESCOPE_LOG=quiet"});
    while (contents(out / "out").empty()) usleep(2000);
    kill(recorder, signal);
    CHECK(wait_for(recorder) == 128 + signal);
  }
}

TEST_CASE("A job that can't be run: 127 not found, 126 not executable, nothing left behind") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  Ran ran = run(record({"-o", out / "run"}, {"/nowhere/job"}));
  CHECK(ran.exit_code == 127);
  CHECK(ran.error_lines() == 1);
  CHECK(ran.err.find("/nowhere/job") != std::string::npos);
  write_file(out / "file", "no program");
  ran = run(record({"-o", out / "run"}, {out / "file"}));
  CHECK(ran.exit_code == 126);
  CHECK(ran.error_lines() == 1);
  CHECK(files_in(out) == std::vector<std::string>{"file"});
}

TEST_CASE("A run that holds something is refused before the job starts") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  std::filesystem::create_directory(out / "run");
  CHECK(run(record({"-o", out / "run"}, {kJob, "spans", "1"})).exit_code == 0);  // an empty one is fine
  const Ran ran = run(record({"-o", out / "run"}, {"touch", out / "started"}));
  CHECK(ran.exit_code == 125);
  CHECK(ran.error_lines() == 1);
  CHECK(ran.err.find(out / "run") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(out / "started"));
  write_file(out / "file", "");
  CHECK(run(record({"-o", out / "file"}, {"true"})).exit_code == 125);
  CHECK(run(record({"-o", out / "file/run"}, {"true"})).exit_code == 125);
}

TEST_CASE("The ranks of one launcher share a run") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  for (const char* rank : {"0", "1"})
    CHECK(run(record({"-o", out / "run"}, {kJob, "spans", "1"}),
              {"SLURM_JOB_ID=9", std::string("SLURM_PROCID=") + rank, "SLURM_NTASKS=2"})
              .exit_code == 0);
  const auto files = recorded_files(out);
  REQUIRE(files.size() == 2);
  for (const std::string& file : files) CHECK(value(file, "SELECT run_id FROM run") == "9");
}

TEST_CASE("Nothing recorded is said, with the reason, and leaves no directory") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran = run(record({"-o", out / "run"}, {"true"}));
  CHECK(ran.exit_code == 0);
  CHECK(ran.error_lines() == 1);
  CHECK(ran.err.find("nothing was recorded: no process of the job used") != std::string::npos);
  CHECK(files_in(out).empty());
}

TEST_CASE("A killed job's file is made whole and said to be cut short") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran = run(record({"-o", out / "run"}, {kJob, "abort", "100"}));
  CHECK(ran.exit_code == 128 + SIGABRT);
  CHECK(ran.err.find("1 file was cut short") != std::string::npos);
  const std::string file = only_recorded_file(out);
  CHECK_FALSE(std::filesystem::exists(file + "-wal"));
  CHECK(number(file, "SELECT count(*) FROM span") == 100);
  CHECK(value(file, "SELECT end_kind FROM run") == "NULL");
}

TEST_CASE("The options env and flush-ms, and another tool's injection") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran = run(record({"-o", out / "run", "--env", "A=1", "--env", "B=x=y", "--flush-ms", "20"},
                             {"sh", "-c", "echo $A $B $MOESCOPE_FLUSH_MS $NVTX_INJECTION64_PATH"}),
                      {"NVTX_INJECTION64_PATH=/opt/other.so"});
  CHECK(ran.out == "1 x=y 20 /opt/other.so\n");
  CHECK(ran.err.find("NVTX_INJECTION64_PATH is set to /opt/other.so") != std::string::npos);
  CHECK(run(record({"--env", "novalue"}, {"true"})).exit_code == 125);
  const Ran preloaded = run(record({"-o", out / "run2"}, {"sh", "-c", "echo $LD_PRELOAD"}), {"LD_PRELOAD=libm.so.6"});
  CHECK(preloaded.out == "libm.so.6:" + collector_library() + "\n");
}

TEST_CASE("What no preload reaches is named") {
  ScratchFolder out;
  CHECK(launch::why_unreachable("sh").empty());
  CHECK(launch::why_unreachable(kJob).empty());
  write_file(out / "static.c", "int main(void) { return 0; }");
  if (run({"cc", "-static", "-o", out / "static", out / "static.c"}).exit_code == 0)
    CHECK(launch::why_unreachable(out / "static") == "a static executable");
  std::filesystem::copy("/bin/true", out / "suid");
  chmod((out / "suid").c_str(), 04755);
  CHECK(launch::why_unreachable(out / "suid") == "a set-user-ID program");
}

TEST_CASE("A library that the loader refuses is found out before the job") {
  ScratchFolder out;
  write_file(out / "broken.so", "no library");
  CHECK_FALSE(launch::try_preload(out / "broken.so").empty());
  CHECK_FALSE(launch::try_preload(out / "missing.so").empty());
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  CHECK(launch::try_preload(collector_library()).empty());
}

TEST_CASE("The line counts what the files hold") {
  launch::RunSummary summary;
  summary.files = 2;
  summary.spans = 1234567;
  summary.ranks = 1;
  summary.dropped = 1000;
  summary.still_written = 1;
  summary.collector_cpu_ns = 5000000;
  CHECK(launch::summary_line(summary, "R", 1000000000, "") ==
        "moescope: 1,234,567 spans of 1 rank in 2 files in R; 1,000 dropped; the collector took 5.0 ms of CPU in "
        "1.0 s, 0.50 % of a core; 1 file is still being written");
  CHECK(launch::summary_line({}, "R", 1, "a static executable") ==
        "moescope: nothing was recorded: the command is a static executable, which no preload reaches");
}

// SPDX-License-Identifier: Apache-2.0
// Each way a process can live and end, recorded under the real LD_PRELOAD.
#include "tests/collector/preload/recorded.h"

using namespace moescope::test;

namespace {

const std::string kJob = test_program("collector_job");

}  // namespace

TEST_CASE("Every ending that can be heard leaves a whole file") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  struct Ending {
    const char *mode, *end_kind;
    int status;
  };
  for (const Ending ending : {Ending{"spans", "exit", 0},
                              {"_exit", "_exit", 3},
                              {"_Exit", "_exit", 4},
                              {"quick_exit", "exit", 5},
                              {"exit-in-thread", "exit", 6}}) {
    INFO(ending.mode);
    ScratchFolder out;
    const Ran ran = run_recorded(out, {kJob, ending.mode, "1000"});
    CHECK(ran.exit_code == ending.status);
    CHECK(ran.err.empty());
    CHECK(what_was_recorded(out) == std::vector<Row>{{"span", "1000", ending.end_kind}});
    const std::string file = only_recorded_file(out);
    CHECK_FALSE(std::filesystem::exists(file + "-wal"));
    CHECK_FALSE(std::filesystem::exists(file + "-shm"));
  }
}

TEST_CASE("An ending that can't be heard loses no more than the last flush period, and says cut short") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran = run_recorded(out, {kJob, "abort", "1000"});
  CHECK(ran.exit_code == 128 + SIGABRT);
  CHECK(what_was_recorded(out) == std::vector<Row>{{"span", "1000", "cut short"}});
}

TEST_CASE("SIGKILL in the middle leaves a sound file with all that was flushed") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  for (int trial = 0; trial < 4; ++trial) {
    ScratchFolder out;
    const pid_t child = start({kJob, "endless"}, out / "out", out / "err", preload(out, {"MOESCOPE_FLUSH_MS=20"}));
    long long seen = 0;  // while it runs: the file can be read at any time
    for (int i = 0; i < 2000 && seen < 2000; ++i) {
      usleep(5000);
      const auto files = recorded_files(out);
      if (files.empty() || number(files[0], "SELECT count(*) FROM sqlite_master WHERE name='stage_span'") == 0)
        continue;
      seen = number(files[0], "SELECT count(*) FROM span");
    }
    usleep(static_cast<unsigned>(trial) * 7000);
    kill(child, SIGKILL);
    CHECK(wait_for(child) == 128 + SIGKILL);
    const auto recorded = what_was_recorded(out);
    REQUIRE(recorded.size() == 1);
    CHECK(recorded[0][0] == "work");
    CHECK(seen >= 2000);
    CHECK(std::stoll(recorded[0][1]) >= seen);
    CHECK(recorded[0][2] == "cut short");
    // Each step that has ended has all its spans.
    CHECK(number(only_recorded_file(out),
                 "SELECT count(*) FROM step WHERE dur >= 0 AND 100 <> (SELECT count(*) FROM span JOIN context ON "
                 "context.id = span.context WHERE context.step = step.step)") == 0);
  }
}

TEST_CASE("A forked worker that ends like Python's has a file of its own") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kJob, "fork"}).exit_code == 0);
  CHECK(what_was_recorded(out) == std::vector<Row>{{"child", "3", "_exit"}, {"parent", "20", "exit"}});
}

TEST_CASE("Forked children that say nothing leave nothing, and the parent's file is untouched") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kJob, "fork-silent"}).exit_code == 0);
  CHECK(what_was_recorded(out) == std::vector<Row>{{"parent", "10", "exit"}});
}

TEST_CASE("exec: the new program has its own file, the old one keeps what was flushed") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kJob, "exec"}).exit_code == 0);
  CHECK(what_was_recorded(out) == std::vector<Row>{{"before", "10", "cut short"}, {"span", "5", "exit"}});
  const auto files = recorded_files(out);
  REQUIRE(files.size() == 2);  // the same pid, another image
  CHECK(value(files[0], "SELECT pid FROM process") == value(files[1], "SELECT pid FROM process"));
}

TEST_CASE("fork and exec: parent and grandchild are whole") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kJob, "fork-exec"}).exit_code == 0);
  auto recorded = what_was_recorded(out);
  std::erase_if(recorded, [](const Row& row) { return row[0] == "child"; });  // gone within its first flush period
  CHECK(recorded == std::vector<Row>{{"parent", "10", "exit"}, {"span", "5", "exit"}});
}

TEST_CASE("A daemon that closes every descriptor is recorded, beside the parent that left") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kJob, "daemon"}).exit_code == 0);
  for (int i = 0; i < 300; ++i) {
    if (what_was_recorded(out) == std::vector<Row>{{"daemon", "4", "exit"}, {"parent", "10", "exit"}}) break;
    usleep(10000);
  }
  CHECK(what_was_recorded(out) == std::vector<Row>{{"daemon", "4", "exit"}, {"parent", "10", "exit"}});
}

TEST_CASE("A job that closes our descriptors and opens its own files finds nothing of ours in them") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  write_file(out / "victim", "the job's own");
  CHECK(run_recorded(out, {kJob, "close-everything", out / "victim"}).exit_code == 0);
  CHECK(contents(out / "victim") == "the job's own");
  const auto recorded = what_was_recorded(out);
  REQUIRE(!recorded.empty());
  CHECK(recorded.back()[0] == "before");
  CHECK(recorded.back()[1] == "10");
}

TEST_CASE("Events from TLS destructors that run after ours are kept") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kJob, "late"}).exit_code == 0);
  CHECK(what_was_recorded(out) == std::vector<Row>{{"early", "20", "exit"}, {"late", "80", "exit"}});
}

TEST_CASE("Memory stays flat over batches of five hundred short threads") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran = run_recorded(out, {kJob, "short-threads"});
  CHECK(ran.exit_code == 0);
  CHECK(std::stol(ran.out) < 4096);  // KiB
  CHECK(what_was_recorded(out) == std::vector<Row>{{"short", "3000", "exit"}});
}

TEST_CASE("A signal handler that annotates can't harm what it interrupts") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kJob, "signals"}).exit_code == 0);
  const std::string file = only_recorded_file(out);
  const long long work = number(file, "SELECT count(*) FROM stage_span WHERE name='work'");
  const long long dropped =
      number(file, "SELECT coalesce(sum(count), 0) FROM diagnostic WHERE code = 'events_dropped'");
  CHECK(work + dropped >= 300000);
  CHECK(work <= 300000);
  CHECK(number(file, "SELECT count(*) FROM stage_span WHERE name NOT IN ('work', 'handler')") == 0);
  CHECK(number(file, "SELECT count(*) FROM diagnostic WHERE code = 'unbalanced_ends'") == 0);
}

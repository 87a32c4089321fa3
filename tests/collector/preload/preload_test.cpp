// SPDX-License-Identifier: Apache-2.0
// libmoescope.so as every process of a job sees it, and the annotations under it.
#include <regex>

#include "tests/collector/preload/recorded.h"

using namespace moescope::test;

namespace {

const std::string kJob = test_program("collector_job");

// "GLIBC_2.17" -> {2, 17}
bool newer_than_2_17(const std::string& text) {
  const std::regex version(R"(GLIBC_(\d+)\.(\d+))");
  for (std::sregex_iterator at(text.begin(), text.end(), version), end; at != end; ++at)
    if (std::stoi((*at)[1]) > 2 || std::stoi((*at)[2]) > 17) return true;
  return false;
}

}  // namespace

TEST_CASE("The preloaded library asks for nothing that a system of 2012 lacks") {
  const Ran needed = run({"readelf", "-d", collector_library()});
  if (needed.exit_code != 0) MOESCOPE_SKIP("readelf is not here (apt-get install binutils)");
  std::vector<std::string> libraries;
  const std::regex entry(R"(\(NEEDED\).*\[(.*)\])");
  for (std::sregex_iterator at(needed.out.begin(), needed.out.end(), entry), end; at != end; ++at)
    libraries.push_back((*at)[1]);
  std::sort(libraries.begin(), libraries.end());
  CHECK(libraries == std::vector<std::string>{"libc.so.6", "libdl.so.2"});
  CHECK(needed.out.find("NODELETE") != std::string::npos);
  const Ran symbols = run({"objdump", "-T", collector_library()});
  CHECK(symbols.out.find("GLIBC_2.2.5") != std::string::npos);
  CHECK_FALSE(newer_than_2_17(symbols.out));
  CHECK(newer_than_2_17("GLIBC_2.34"));
}

TEST_CASE("The two libraries export their doors and nothing else") {
  const Ran door = run({"nm", "-D", "--defined-only", "-f", "posix", collector_library()});
  if (door.exit_code != 0) MOESCOPE_SKIP("nm is not here (apt-get install binutils)");
  std::vector<std::string> names;
  std::istringstream lines(door.out);
  for (std::string line; std::getline(lines, line);) names.push_back(line.substr(0, line.find(' ')));
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"InitializeInjection", "InitializeInjectionNvtx", "InitializeInjectionNvtx2",
                                          "InitializeInjectionNvtxExtension", "_Exit", "_exit", "moescope_api"});
#ifndef MOESCOPE_SANITIZED
  const Ran core = run({"nm", "-D", "--defined-only", "-f", "posix", MOESCOPE_BUILD_DIR "/lib/libmoescope_core.so"});
  CHECK(std::count(core.out.begin(), core.out.end(), '\n') == 1);
  CHECK(core.out.starts_with("moescope_core_entry "));
  const Ran needed = run({"readelf", "-d", MOESCOPE_BUILD_DIR "/lib/libmoescope_core.so"});
  CHECK(needed.out.find("sqlite") == std::string::npos);
  CHECK(needed.out.find("stdc++") == std::string::npos);
#endif
}

TEST_CASE("Programs that have nothing to record run as without it") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  const std::vector<std::vector<std::string>> commands = {
      {"bash", "-c", "echo one; (echo two >&2); false | true; for i in 1 2 3; do sh -c 'exit 0'; done; exit 9"},
      {"python3", "-c", "import os, sys\nprint(sorted(os.listdir('/'))[0])\nsys.stderr.write('err\\n')\nos._exit(4)"},
      {"ls", "/"},
      {"cat", "/nowhere"},
      {"env", "-i", "sh", "-c", "exit 3"},
  };
  for (const auto& command : commands) {
    const Ran plain = run(command);
    ScratchFolder out;
    const Ran recorded = run_recorded(out, command);
    INFO(command[0]);
    CHECK(recorded.exit_code == plain.exit_code);
    CHECK(recorded.out == plain.out);
    CHECK(recorded.err == plain.err);
    CHECK_FALSE(std::filesystem::exists(out / "run"));
  }
}

TEST_CASE("The header is inert without the collector, and does all it says with it, from C") {
  CHECK(run({test_program("collector_job_c")}).exit_code == 1);
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {test_program("collector_job_c")}).exit_code == 0);
  const std::string file = only_recorded_file(out);
  CHECK(query(file,
              "SELECT rank, track, dur_ns >= 0, stage, pass, kind, name, step, layer, micro_batch, wave, bytes, "
              "clock FROM stage_span ORDER BY id") ==
        std::vector<Row>{{"1", "compute", "1", "dispatch", "backward_input", "work", "dispatch", "0", "2", "1", "3",
                          "4096", "monotonic"},
                         {"1", "compute", "1", "combine", "backward_input", "work", "combine", "0", "2", "1", "-1",
                          "NULL", "paced"}});
  CHECK(query(file,
              "SELECT clock.base_ns + start_rel, dur FROM span JOIN track ON track.id = track JOIN clock ON "
              "clock.id = track.clock WHERE clock.name = 'paced'") == std::vector<Row>{{"1000000", "700"}});
  CHECK(number(file, "SELECT sum(assigned) FROM router_load WHERE step=0 AND layer=2 AND rank=1") == 10);
  CHECK(number(file, "SELECT sum(bytes) FROM peer_traffic WHERE src_rank=1 AND pass=3") == 30);
  CHECK(
      query(
          file,
          "SELECT step, number, step.kind, clock.name, dur FROM step JOIN clock ON clock.id = clock WHERE step = 1") ==
      std::vector<Row>{{"1", "6", "3", "paced", "1000000"}});
  CHECK(value(file, "SELECT rank_source FROM process") == "annotation");
}

TEST_CASE("Eight threads of an annotated C++ job: exact counts") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kJob, "threads", "8"}).exit_code == 0);
  const std::string file = only_recorded_file(out);
  const auto rows =
      query(file, "SELECT rank, name, count(*), sum(wave >= 0), sum(bytes) FROM stage_span GROUP BY rank, name");
  REQUIRE(rows.size() == 16);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    CHECK(rows[2 * rank] == Row{std::to_string(rank), "other", "20000", "0", "20000"});
    CHECK(rows[2 * rank + 1] == Row{std::to_string(rank), "outer", "20000", "20000", "NULL"});
  }
  CHECK(number(file, "SELECT count(*) FROM diagnostic WHERE severity <> 'info'") == 0);
}

TEST_CASE("The rank comes from the launcher's variables") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  run_recorded(out, {kJob, "spans", "1"}, {"RANK=3", "WORLD_SIZE=8", "LOCAL_RANK=1", "MOESCOPE_RUN_ID=abc"});
  const std::string file = only_recorded_file(out);
  CHECK(query(file, "SELECT rank, world_size, local_rank FROM rank") == std::vector<Row>{{"3", "8", "1"}});
  CHECK(query(file, "SELECT rank_source, run_id, run_id_source FROM process, run") ==
        std::vector<Row>{{"RANK", "abc", "moescope"}});
  CHECK(value(file, "SELECT rank FROM track") == "3");
}

TEST_CASE("LD_PRELOAD alone records, children and all, into one run beside the job") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const std::string two = "cd / && " + kJob + " spans 2; " + kJob + " spans 3";
  const Ran ran = run({"bash", "-c", two}, {"LD_PRELOAD=" + collector_library()}, out.path());
  CHECK(ran.err.empty());
  const auto runs = files_in(out);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].starts_with("moescope-run-"));
  std::vector<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(out / runs[0]))
    ids.push_back(value(entry.path(), "SELECT run_id FROM run"));
  REQUIRE(ids.size() == 2);
  CHECK(ids[0] == ids[1]);
}

TEST_CASE("A relative LD_PRELOAD works after a chdir too") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran = run({kJob, "spans", "2"}, {"LD_PRELOAD=./libmoescope.so", "MOESCOPE_OUT=" + out.path() + "/run"},
                      MOESCOPE_BUILD_DIR "/lib");
  CHECK(ran.exit_code == 0);
  CHECK(what_was_recorded(out) == std::vector<Row>{{"span", "2", "exit"}});
}

TEST_CASE("A core that can't be loaded is one line, and the job goes on") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  std::filesystem::copy(collector_library(), out / "libmoescope.so");
  write_file(out / "libmoescope_core.so", "not a library");
  const Ran ran = run({kJob, "threads", "4"}, {"LD_PRELOAD=" + out.path() + "/libmoescope.so"}, out.path());
  CHECK(ran.exit_code == 0);
  CHECK(ran.error_lines() == 1);
  CHECK(ran.err.find("is not recorded") != std::string::npos);
  const Ran quiet =
      run({kJob, "threads", "4"}, {"LD_PRELOAD=" + out.path() + "/libmoescope.so", "MOESCOPE_LOG=quiet"}, out.path());
  CHECK(quiet.err.empty());
}

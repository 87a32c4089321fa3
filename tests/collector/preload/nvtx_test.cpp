// SPDX-License-Identifier: Apache-2.0
// NVTX ranges of real jobs, through the real injection protocol.
#include "tests/collector/preload/recorded.h"

using namespace moescope::test;

namespace {

const std::string kByHand = test_program("collector_nvtx_by_hand");

std::vector<std::string> with_libraries(std::size_t count) {
  std::vector<std::string> command = {kByHand, "libraries"};
  for (std::size_t i = 0; i < count; ++i)
    command.push_back(MOESCOPE_BUILD_DIR "/tests/libcollector_nvtx_library" + std::to_string(i) + ".so");
  return command;
}

}  // namespace

TEST_CASE("NVTX by hand: ranges and domains, counted exactly") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kByHand, "ranges", "5000"}).exit_code == 0);
  const std::string file = only_recorded_file(out);
  CHECK(query(file,
              "SELECT name.text, name.domain, count(*), min(source), min(kind) FROM span "
              "JOIN name ON name.id = span.name JOIN context ON context.id = span.context GROUP BY name.id "
              "ORDER BY name.text") ==
        std::vector<Row>{{"by hand", "", "5000", "1", "0"}, {"by hand, in a domain", "hand", "5000", "1", "0"}});
  CHECK(number(file, "SELECT count FROM diagnostic WHERE code='nvtx_injections'") == 1);
}

TEST_CASE("Eight libraries start their NVTX at once, and each is heard") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  for (int trial = 0; trial < 10; ++trial) {
    ScratchFolder out;
    CHECK(run_recorded(out, with_libraries(8)).exit_code == 0);
    const std::string file = only_recorded_file(out);
    CHECK(number(file, "SELECT count(*) FROM span") == 32 * 50);
    CHECK(number(file, "SELECT count FROM diagnostic WHERE code='nvtx_injections'") == 8);
  }
}

TEST_CASE("Injection without a preload works too") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  const Ran ran =
      run(with_libraries(2), {"NVTX_INJECTION64_PATH=" + collector_library(), "MOESCOPE_OUT=" + out.path() + "/run"});
  CHECK(ran.exit_code == 0);
  const std::string file = only_recorded_file(out);
  CHECK(number(file, "SELECT count(*) FROM span") == 32 * 50);
  CHECK(value(file, "SELECT end_kind FROM run") == "exit");
}

TEST_CASE("MOESCOPE_ENABLE leaves NVTX out") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, with_libraries(2), {"MOESCOPE_ENABLE=cupti"}).exit_code == 0);
  CHECK(recorded_files(out).empty());
}

TEST_CASE("A process that uses CUDA says in its file what is not in it") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kByHand, "cuda"}).exit_code == 0);
  CHECK(query(only_recorded_file(out), "SELECT severity, code, count FROM diagnostic WHERE severity = 'warning'") ==
        std::vector<Row>{{"warning", "gpu_records_not_collected", "1"}});
}

TEST_CASE("The extended-payload module is taken and left alone") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  ScratchFolder out;
  CHECK(run_recorded(out, {kByHand, "extension"}).exit_code == 0);
}

TEST_CASE("Everything of the toolkit's own NVTX header arrives") {
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
#ifndef MOESCOPE_HAVE_NVTX
  MOESCOPE_SKIP("no CUDA toolkit: its NVTX headers are not here");
#else
  ScratchFolder out;
  CHECK(run_recorded(out, {test_program("collector_nvtx_job")}).exit_code == 0);
  const std::string file = only_recorded_file(out);
  const auto spans = query(file,
                           "SELECT name.text, name.domain, track.name, context.flags FROM span "
                           "JOIN name ON name.id = span.name JOIN context ON context.id = span.context "
                           "JOIN track ON track.id = span.track ORDER BY name.text, dur");
  const std::string main_thread = "collector_nvtx_";  // the system cuts it at 15 bytes
  CHECK(spans == std::vector<Row>{
                     {"crossing", "", main_thread, "0"},
                     {"in domain", "expert parallel", "worker", "0"},
                     {"in domain", "expert parallel", "worker", "0"},
                     {"left open", "", "worker", "1"},
                     {"mark", "", main_thread, "0"},
                     {"never ended", "", main_thread, "1"},
                     {"outer", "", main_thread, "0"},
                     {"registered", "expert parallel", main_thread, "0"},
                     {"registered", "expert parallel", main_thread, "0"},
                     {"start a", "", main_thread, "0"},
                     {"w\u00efde \U0001f600", "", main_thread, "0"},
                 });
  CHECK(number(file, "SELECT count FROM diagnostic WHERE code = 'unbalanced_ends'") == 1);
#endif
}

// SPDX-License-Identifier: Apache-2.0
// samples/annotate_c, compiled as its README says and recorded.
#include "tests/collector/preload/recorded.h"

using namespace moescope::test;

TEST_CASE("The C sample compiles by its README's line, runs alone, and is recorded") {
  ScratchFolder out;
  const std::string folder = MOESCOPE_SOURCE_DIR "/samples/annotate_c";
  const std::string readme = contents(folder + "/README.md");
  const std::size_t at = readme.find("\ncc ");
  REQUIRE(at != std::string::npos);
  std::string line = readme.substr(at + 1, readme.find('\n', at + 1) - at - 1);
  const std::size_t target = line.find("-o annotate ");
  REQUIRE(target != std::string::npos);
  line.replace(target, 12, "-Wall -Wextra -Werror -o " + out.path() + "/annotate ");
  const Ran compiled = run({"sh", "-c", line}, {}, folder);
  INFO(compiled.err);
  REQUIRE(compiled.exit_code == 0);
  CHECK(run({out / "annotate"}).out == "2 ranks, 3 steps; nobody recorded it\n");
  SKIP_WHERE_NOTHING_CAN_BE_PRELOADED();
  CHECK(run_recorded(out, {out / "annotate"}).out == "2 ranks, 3 steps; recorded\n");
  const std::string file = only_recorded_file(out);
  // 2 ranks x 3 steps x 2 layers of six stages; 64 of 128 pairs cross, 1 and 2 bytes for each of 1024 elements.
  CHECK(query(file, "SELECT stage, count(*), sum(bytes), CAST(sum(flops) AS INTEGER) FROM stage_span GROUP BY stage") ==
        std::vector<Row>{{"act", "12", "NULL", "NULL"},
                         {"combine", "12", "1572864", "NULL"},
                         {"dispatch", "12", "786432", "NULL"},
                         {"l1", "12", "-12", "3221225472"},
                         {"l2", "12", "-12", "1610612736"},
                         {"router", "12", "NULL", "NULL"}});
  CHECK(number(file, "SELECT count(*) FROM step WHERE dur > 0") == 6);
  CHECK(number(file, "SELECT sum(assigned) FROM router WHERE side='sent'") == 12 * 128);
  CHECK(number(file, "SELECT sum(bytes) FROM peer_traffic WHERE src_rank <> dst_rank") == 786432);
}

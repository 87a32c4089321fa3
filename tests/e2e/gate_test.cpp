// SPDX-License-Identifier: Apache-2.0
// Two schedules of the same job: the wave run exposes less communication, the gate passes wave against wave and refuses
// naive where wave was the base.
#include <simdjson.h>

#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;

namespace {

void record(const std::string& folder, const std::vector<std::string>& options) {
  std::vector<std::string> argv = {program("moescope"),        "record", "--quiet", "-o", folder, "--",
                                   program("moescope-refmoe"), "--quiet"};
  argv.insert(argv.end(), options.begin(), options.end());
  const Ran ran = run(argv);
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
}

double exposed_comm_ns(const std::string& folder) {
  const Ran ran = run({program("moescope"), "report", "--format", "json", folder});
  REQUIRE(ran.exit_code == 0);
  simdjson::dom::parser parser;
  simdjson::dom::element report = parser.parse(ran.out);
  double total = 0;
  for (simdjson::dom::element rank : report["ranks"].get_array()) total += double(rank["exposed_comm_ns"]);
  return total;
}

int gate(const std::vector<std::string>& base, const std::vector<std::string>& head) {
  std::vector<std::string> argv = {program("moescope"), "gate", "--base"};
  argv.insert(argv.end(), base.begin(), base.end());
  argv.push_back("--head");
  argv.insert(argv.end(), head.begin(), head.end());
  return run(argv).exit_code;
}

}  // namespace

TEST_CASE("waves hide communication that the naive schedule exposes, and the gate knows which is which") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("a sanitizer's run-time library can't be preloaded together with the collector");
#endif
  const ScratchFolder scratch;
  const std::vector<std::string> wave = {"--schedule", "wave", "--waves", "4"}, naive = {"--schedule", "naive"};
  record(scratch / "wave-a", wave);
  record(scratch / "wave-b", wave);
  record(scratch / "naive", naive);
  CHECK(exposed_comm_ns(scratch / "wave-a") < 0.6 * exposed_comm_ns(scratch / "naive"));
  CHECK(gate({scratch / "wave-a"}, {scratch / "wave-b"}) == 0);
  CHECK(gate({scratch / "wave-a"}, {scratch / "naive"}) == 1);
  CHECK(gate({scratch / "naive"}, {scratch / "wave-a"}) == 0);
}

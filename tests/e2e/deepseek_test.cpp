// SPDX-License-Identifier: Apache-2.0
// DeepSeek's published V3 training trace through the program a user runs, against an independent computation.
#include <simdjson.h>

#include <map>

#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;

TEST_CASE("the report on DeepSeek's training trace tells the truth") {
  const std::string trace =
      std::string(MOESCOPE_SOURCE_DIR) + "/../shared/data/traces/kineto/deepseek_profile_data/train.json.gz";
  if (!std::filesystem::exists(trace)) MOESCOPE_SKIP("the trace is not here (deepseek-ai/profile-data, train.json)");
  const ScratchFolder scratch;
  // As it is, and imported into a run first: the same figures.
  const Ran imported = run({program("moescope"), "import", trace, "-o", scratch / "run"});
  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  for (const std::string& run_path : {trace, scratch / "run"}) {
    CAPTURE(run_path);
    const Ran ran = run({program("moescope"), "report", "--format", "json", run_path});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    simdjson::dom::parser parser;
    simdjson::dom::element report = parser.parse(ran.out);
    simdjson::dom::element rank = report["ranks"].at(0);
    CHECK(std::int64_t(rank["comm_ns"]) == 113'440'000);
    CHECK(std::int64_t(rank["exposed_comm_ns"]) == 4'190'000);
    CHECK(double(rank["hidden_fraction"]) == Approx(0.9631).margin(0.00005));
    CHECK(std::int64_t(rank["compute_ns"]) == 124'310'000);
    CHECK(std::int64_t(rank["busy_ns"]) == 128'515'000);
    CHECK(std::int64_t(rank["span_ns"]) == 129'012'000);
    // notify, cached_notify and layout kernels: 23,610 + 8,968 + 410 us, none of them under a payload kernel (one
    // stream).
    CHECK(std::int64_t(rank["comm_control_ns"]) == 32'988'000);
    std::map<std::string, double> exposed;
    for (simdjson::dom::element row : rank["annotations"].get_array())
      if (double ns = 0; row["exposed_comm_ns"].get(ns) == simdjson::SUCCESS)
        exposed[std::string(std::string_view(row["name"]))] = ns;
    const std::map<std::string, double> truth_us = {
        {"dispatch(F)", 255}, {"dispatch(B)", 1897}, {"combine(F)", 653}, {"combine(B)", 1385}};
    for (const auto& [annotation, us] : truth_us) {
      CAPTURE(annotation);
      REQUIRE(exposed.count(annotation) == 1);
      CHECK(exposed[annotation] == Approx(us * 1000).margin(1000));
    }
  }
}

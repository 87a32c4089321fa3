// SPDX-License-Identifier: Apache-2.0
// The reference job under the real LD_PRELOAD, its record read back and held against what the job says it did.
#include "analyzer/import/importer.h"
#include "analyzer/stage/attribution.h"
#include "tests/e2e/refmoe_account.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
using namespace moescope::test;

namespace {

struct Recorded {
  JobAccount job;
  Trace trace;
};

Recorded record(const ScratchFolder& scratch, const std::vector<std::string>& options) {
  std::vector<std::string> argv = {program("moescope"),        "record", "-o", scratch / "run", "--",
                                   program("moescope-refmoe"), "--json"};
  argv.insert(argv.end(), options.begin(), options.end());
  const Ran ran = run(argv);
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  REQUIRE(ran.error_lines() == 1);  // one line: what was recorded, where, what was dropped, what it cost
  return {parse_account(ran.out), load_trace({scratch / "run"}, "auto", {})};
}

// Sums of the record by (rank, stage).
std::map<std::pair<std::int64_t, std::string>, StageAccount> sums(const Trace& trace) {
  std::map<std::pair<std::int64_t, std::string>, StageAccount> result;
  const Attribution attribution = attribute(trace);
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    if (!trace.track_of(row).is_execution()) continue;
    StageAccount& stage = result[{trace.track_of(row).rank.value, std::string(name(attribution.stage[row]))}];
    stage.time_ns += static_cast<double>(trace.spans.duration[row]);
    if (trace.spans.bytes[row] > 0) stage.bytes += trace.spans.bytes[row];
    if (trace.spans.flops[row] > 0) stage.flops += trace.spans.flops[row];
    ++stage.spans;
  }
  return result;
}

void require_record_equals_account(const Recorded& recorded) {
  const auto record = sums(recorded.trace);
  REQUIRE(record.size() == recorded.job.stages.size());
  for (const auto& [key, said] : recorded.job.stages) {
    CAPTURE(key.first, key.second);
    REQUIRE(record.count(key) == 1);
    const StageAccount& seen = record.at(key);
    CHECK(seen.spans == said.spans);
    CHECK(seen.bytes == said.bytes);
    CHECK(seen.flops == said.flops);
    // A span's ends are whole nanoseconds; virtual time is not.
    CHECK(seen.time_ns == Approx(said.time_ns).margin(static_cast<double>(said.spans)));
  }
  std::vector<std::vector<std::int64_t>> tokens(recorded.job.tokens_per_expert.size());
  for (std::size_t layer = 0; layer < tokens.size(); ++layer)
    tokens[layer].resize(recorded.job.tokens_per_expert[layer].size());
  for (const RouterLoad& load : recorded.trace.router_loads)
    if (load.side == Side::kRECEIVED)
      tokens.at(static_cast<std::size_t>(load.layer.value)).at(static_cast<std::size_t>(load.expert.value)) +=
          load.assigned;
  CHECK(tokens == recorded.job.tokens_per_expert);
  // Every byte between two ranks, once: what the spans carry is what the peers exchanged.
  std::int64_t between = 0, on_spans = 0;
  for (const PeerTraffic& traffic : recorded.trace.peer_traffic)
    if (traffic.source != traffic.destination) between += traffic.bytes;
  for (const auto& [key, said] : recorded.job.stages) on_spans += said.bytes;
  CHECK(between == on_spans);
  CHECK_FALSE(recorded.trace.cut_short());
  std::size_t steps = 0;
  for (const Step& step : recorded.trace.steps) steps += step.ended;
  CHECK(steps == static_cast<std::size_t>(recorded.job.steps * recorded.job.ranks));
}

}  // namespace

TEST_CASE("the record is exactly what the job says it did") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("a sanitizer's run-time library can't be preloaded together with the collector");
#endif
  const std::vector<std::vector<std::string>> jobs = {
      {"--schedule", "naive"},
      {"--schedule", "wave", "--waves", "4"},
      {"--schedule", "wave", "--waves", "3", "--ranks", "7", "--experts", "35", "--tokens", "33", "--routing",
       "zipf:1.2"},
      {"--schedule", "wave", "--waves", "4", "--clock", "paced", "--steps", "4"},
      {"--schedule", "naive", "--clock", "paced", "--steps", "3"},
      {"--schedule", "wave", "--waves", "2", "--clock", "real", "--ranks", "2", "--steps", "3"}};
  for (const auto& options : jobs) {
    std::string line;
    for (const std::string& option : options) line += option + " ";
    CAPTURE(line);
    const ScratchFolder scratch;
    require_record_equals_account(record(scratch, options));
  }
}

TEST_CASE("recording changes neither the job's result nor its virtual time") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("a sanitizer's run-time library can't be preloaded together with the collector");
#endif
  const ScratchFolder scratch;
  const std::vector<std::string> job = {
      program("moescope-refmoe"), "--schedule", "wave", "--steps", "2", "--check", "--json"};
  std::vector<std::string> recorded = {program("moescope"), "record", "--quiet", "-o", scratch / "run", "--"};
  recorded.insert(recorded.end(), job.begin(), job.end());
  const Ran plain = run(job), with = run(recorded);
  REQUIRE(plain.exit_code == 0);
  CHECK(with.exit_code == 0);
  CHECK(with.out == plain.out);
  CHECK(with.err == plain.err);
}

TEST_CASE("each rank's stage times in the report are the job's own, within 1 %") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("a sanitizer's run-time library can't be preloaded together with the collector");
#endif
  for (const std::string clock : {"virtual", "paced"}) {
    CAPTURE(clock);
    const ScratchFolder scratch;
    const JobAccount job =
        record(scratch, {"--schedule", "wave", "--waves", "4", "--clock", clock, "--steps", "4"}).job;
    const Ran ran = run({program("moescope"), "report", "--format", "json", scratch / "run"});
    REQUIRE(ran.exit_code == 0);
    simdjson::dom::parser parser;
    simdjson::dom::element report = parser.parse(ran.out);
    REQUIRE(std::int64_t(report["run"]["steps"]) == job.steps);  // the report's times are a step's
    std::size_t compared = 0;
    for (simdjson::dom::element rank : report["ranks"].get_array())
      for (simdjson::dom::element stage : rank["stages"].get_array()) {
        const auto key = std::pair(std::int64_t(rank["rank"]), std::string(std::string_view(stage["stage"])));
        CAPTURE(key.first, key.second);
        const StageAccount& said = job.stages.at(key);
        CHECK(double(stage["time_ns"]) * static_cast<double>(job.steps) == Approx(said.time_ns).epsilon(0.01));
        ++compared;
      }
    CHECK(compared == job.stages.size());
  }
}

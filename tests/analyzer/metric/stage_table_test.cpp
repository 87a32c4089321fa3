// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/stage_table.h"

#include <random>

#include "analyzer/metric/metrics.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

namespace {
std::size_t row_of(const Analysis& analysis, Stage stage, Pass pass) {
  for (std::size_t row = 0; row < analysis.stages.size(); ++row)
    if (analysis.stages[row].stage == stage && analysis.stages[row].pass == pass) return row;
  FAIL("no such stage");
  return 0;
}
Answer<RankFigure> stage(const Analysis& analysis, const char* id, std::size_t row) {
  return evaluate_over_ranks(*find_metric(Grain::kStage, id), analysis, row);
}
}  // namespace

TEST_CASE("stages: time, exposure, bandwidth and rate of each rank; the worst rank is named") {
  HandTrace trace;
  // Rank r moves 1000 (r + 1) bytes in 100 (r + 1) ns, of which 50 lie under compute that does 4e6 FLOPs in 200 ns.
  for (int rank = 0; rank < 3; ++rank) {
    const TrackId lane = trace.lane(rank), link = trace.lane(rank);
    trace.work(link, Stage::kDISPATCH, 0, 100 * (rank + 1), {.bytes = 1000 * (rank + 1)});
    trace.work(lane, Stage::kL1, 100 * (rank + 1) - 50, 100 * (rank + 1) + 150, {.flops = 4e6});
    trace.work(lane, Stage::kL1, 5000, 5100, {.pass = Pass::kBACKWARD});
  }
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  const std::size_t dispatch = row_of(analysis, Stage::kDISPATCH, Pass::kFORWARD);
  CHECK(stage(analysis, "time_ns", dispatch)->median == 200);
  CHECK(stage(analysis, "time_ns", dispatch)->worst == 300);
  CHECK(stage(analysis, "time_ns", dispatch)->worst_rank == RankId(2));
  CHECK(stage(analysis, "exposed_ns", dispatch)->worst == 250);
  CHECK(stage(analysis, "hidden_fraction", dispatch)->worst == Approx(50.0 / 300));  // higher is better: least is worst
  CHECK(stage(analysis, "hidden_fraction", dispatch)->worst_rank == RankId(2));
  CHECK(stage(analysis, "wire_bw_gb_s", dispatch)->median == Approx(10));  // bytes a ns = GB/s
  const std::size_t l1 = row_of(analysis, Stage::kL1, Pass::kFORWARD);
  CHECK(stage(analysis, "tflops", l1)->median == Approx(20));  // 4e6 FLOPs / 200 ns = 2e13 FLOP/s
  CHECK(stage(analysis, "flops", l1)->median == 4e6);
  // What has no meaning is absent without a reason to report.
  CHECK(stage(analysis, "exposed_ns", l1).reason().empty());
  CHECK(stage(analysis, "bytes", l1).reason().empty());
  CHECK(stage(analysis, "tflops", row_of(analysis, Stage::kL1, Pass::kBACKWARD)).reason().empty());
}

TEST_CASE("bytes that only some payload spans carry are no sum; control spans are not asked") {
  HandTrace trace;
  const TrackId link = trace.lane(0);
  trace.work(link, Stage::kDISPATCH, 0, 10, {.part = Part::kSYNC});
  trace.work(link, Stage::kDISPATCH, 10, 20, {.bytes = 500});
  trace.work(link, Stage::kCOMBINE, 20, 30, {.bytes = 500});
  trace.work(link, Stage::kCOMBINE, 30, 40);
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  CHECK(stage(analysis, "bytes", row_of(analysis, Stage::kDISPATCH, Pass::kFORWARD))->median == 500);
  CHECK(stage(analysis, "wire_bw_gb_s", row_of(analysis, Stage::kDISPATCH, Pass::kFORWARD))->median == Approx(25));
  const auto partial = stage(analysis, "bytes", row_of(analysis, Stage::kCOMBINE, Pass::kFORWARD));
  REQUIRE_FALSE(partial);
  CHECK(partial.reason() == "1 of 2 spans carry bytes");
}

TEST_CASE("the median of an even number of ranks is the mean of the middle two; the worst follows what is better") {
  const std::vector<RankValue> values{{RankId(4), 1}, {RankId(5), 10}, {RankId(6), 2}, {RankId(7), 4}};
  CHECK(over_ranks(values, Better::kLower).median == 3);
  CHECK(over_ranks(values, Better::kLower).worst_rank == RankId(5));
  CHECK(over_ranks(values, Better::kHigher).worst == 1);
  CHECK(over_ranks(values, Better::kHigher).worst_rank == RankId(4));
}

TEST_CASE("steps one after another add up to the window; steps at once don't") {
  std::mt19937 random(9);
  for (int round = 0; round < 60; ++round) {
    HandTrace made;
    const TrackId lanes[] = {made.lane(0), made.lane(0)};
    const bool at_once = round % 2 == 1;
    for (int step = 0; step < 4; ++step) {
      const Ns begin = at_once ? 0 : 1000 * step;
      made.step(0, step, begin, begin + 900);
      for (int i = 0; i < 12; ++i) {
        const Ns start = begin + static_cast<Ns>(random() % 400), end = start + static_cast<Ns>(random() % 100);
        const Stage stage = random() % 2 == 0 ? Stage::kL1 : Stage::kDISPATCH;
        made.work(lanes[random() % 2], stage, start, end,
                  {.step = step, .bytes = stage == Stage::kL1 ? -1 : static_cast<std::int64_t>(random() % 99)});
      }
    }
    const Trace trace = made.finish();
    for (const DefinitionName& meaning : definitions()) {
      const Analysis by_step = analyze(trace, as_said(trace), {}, meaning.definition);
      const Analysis window = analyze(trace, as_said(trace), {}, meaning.definition, Per::kWindow);
      REQUIRE(by_step.stages.size() == window.stages.size());
      for (std::size_t i = 0; i < window.stages.size(); ++i) {
        const StageCell &a = *by_step.stages[i].cells[0], &b = *window.stages[i].cells[0];
        CHECK(by_step.stages[i].stage == window.stages[i].stage);
        CHECK(a.count == b.count);
        CHECK(a.time == b.time);
        CHECK(a.exposure.exposed == b.exposure.exposed);
        CHECK(a.exposure.weighed_comm == b.exposure.weighed_comm);
        CHECK(a.bytes == b.bytes);
        CHECK(a.with_bytes == b.with_bytes);
      }
    }
  }
}

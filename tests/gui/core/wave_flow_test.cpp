// SPDX-License-Identifier: Apache-2.0
#include "gui/core/wave_flow.h"

#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

std::vector<LaneItems> items_of(const Gantt& gantt, const TimeAxis& axis) {
  std::vector<LaneItems> items;
  for (const Lane& lane : gantt.lanes) items.push_back(prepare_lane(lane, axis));
  return items;
}

}  // namespace

TEST_CASE("each wave is one thread from dispatch to combine") {
  test::SampleShape shape;
  shape.ranks = 2, shape.steps = 1, shape.layers = 1;
  const auto sample = test::sample_run(shape);
  const TimeAxis axis(static_cast<double>(sample.gantt.length), 2000);
  const auto flows = wave_flows(sample.trace, sample.attribution, sample.gantt, items_of(sample.gantt, axis));
  REQUIRE(flows.size() == 2 * 4 * 4);
  for (const Flow& flow : flows) {
    CHECK(flow.to_lane == flow.from_lane + 1);
    CHECK(flow.x0 <= flow.x1 + 0.01);  // here a stage begins only after the one before
  }
  // w0 of rank 0 ends its dispatch at 80 us, where its l1 begins.
  CHECK(flows[0].x0 == Approx(axis.pixel_of(80'000)));
  CHECK(flows[0].x1 == Approx(axis.pixel_of(80'000)));
}

TEST_CASE("in the backward pass the thread runs from combine to dispatch") {
  TraceBuilder builder;
  Track track;
  track.rank = RankId(0);
  track.device = 0;
  track.kind = TrackKind::kEXECUTION;
  track.clock = builder.clock({});
  const TrackId lane = builder.track(track);
  for (const auto& [begin, stage] : {std::pair{0, Stage::kCOMBINE}, {100, Stage::kL2}, {200, Stage::kDISPATCH}}) {
    Context context;
    context.kind = SpanKind::kWORK;
    context.stage = context.role = stage;
    context.pass = Pass::kBACKWARD;
    context.layer = LayerId(3);
    builder.span(begin, 100, lane, builder.name("x"), builder.context(context));
  }
  const auto [trace, attribution, analysis, gantt] = test::sample_from(builder.finish());
  const auto flows = wave_flows(trace, attribution, gantt, items_of(gantt, TimeAxis(300, 300)));
  REQUIRE(flows.size() == 2);
  CHECK(gantt.lanes[flows[0].from_lane].role == Stage::kCOMBINE);
  CHECK(gantt.lanes[flows[0].to_lane].role == Stage::kL2);
  CHECK(gantt.lanes[flows[1].to_lane].role == Stage::kDISPATCH);
}

TEST_CASE("too many threads are none, and spans without a layer or wave have none") {
  const auto many = test::sample_run({});
  const TimeAxis axis(static_cast<double>(many.gantt.length), 20'000);
  CHECK(wave_flows(many.trace, many.attribution, many.gantt, items_of(many.gantt, axis), 50).empty());
  const auto loose = test::sample_of({{0, 100, Stage::kDISPATCH}, {100, 200, Stage::kL1}});
  CHECK(wave_flows(loose.trace, loose.attribution, loose.gantt, items_of(loose.gantt, TimeAxis(200, 400))).empty());
}

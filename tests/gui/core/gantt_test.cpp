// SPDX-License-Identifier: Apache-2.0
#include "gui/core/gantt.h"

#include <algorithm>
#include <limits>
#include <set>

#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

TEST_CASE("lanes: per rank, the stages that occur, in the order of a layer") {
  const auto sample = test::sample_run({});
  REQUIRE(sample.gantt.groups.size() == 4);
  CHECK(sample.gantt.groups[2].label == "rank 2");
  std::vector<Stage> roles;
  for (std::size_t i = 0; i < 5; ++i) roles.push_back(sample.gantt.lanes[sample.gantt.groups[1].first_lane + i].role);
  CHECK(roles == std::vector<Stage>{Stage::kDISPATCH, Stage::kL1, Stage::kACT, Stage::kL2, Stage::kCOMBINE});
  CHECK(sample.gantt.lanes[0].spans == 6 * 2 * 4);
  CHECK(sample.gantt.lanes[0].waves);
  CHECK(sample.gantt.note.empty());
}

TEST_CASE("every stage has a place of its own in the order, and a label") {
  std::set<std::size_t> places;
  for (int i = 0; i < kStageCount; ++i) {
    places.insert(lane_order(static_cast<Stage>(i)));
    CHECK_FALSE(stage_label(static_cast<Stage>(i)).empty());
  }
  CHECK(places.size() == kStageCount);
}

TEST_CASE("time starts at the first work, whatever the clock says") {
  const auto sample =
      test::sample_of({{5'000'000'000, 5'000'000'100, Stage::kL1}, {5'000'000'200, 5'000'000'300, Stage::kL2}});
  CHECK(sample.gantt.length == 300);
  CHECK(sample.gantt.groups[0].zero == 5'000'000'000);
  CHECK(sample.gantt.lanes[0].segments == std::vector<Interval>{{0, 100}});
  CHECK(sample.gantt.lanes[1].segments == std::vector<Interval>{{200, 300}});
}

TEST_CASE("only the part of communication under no compute is exposed, and compute never is") {
  const auto sample = test::sample_of({{0, 100, Stage::kDISPATCH}, {40, 160, Stage::kL1}, {150, 200, Stage::kCOMBINE}});
  CHECK(sample.gantt.lanes[0].exposed == std::vector<Interval>{{0, 40}});
  CHECK(sample.gantt.lanes[1].exposed.empty());
  CHECK(sample.gantt.lanes[2].exposed == std::vector<Interval>{{160, 200}});
}

TEST_CASE("of many ranks, the most exposed are shown, worst first, and it is said") {
  test::SampleShape shape;
  shape.ranks = 12;
  shape.waves = 4;
  GanttOptions options;
  options.most_groups = 3;
  const auto sample = test::sample_run(shape, options);
  REQUIRE(sample.gantt.groups.size() == 3);
  CHECK(sample.gantt.note == "3 of 12 devices shown, most exposed communication first");
  CHECK(sample.gantt.figures.devices.size() == 12);
  double before = std::numeric_limits<double>::max();
  for (const LaneGroup& group : sample.gantt.groups) {
    const double exposed = *sample.gantt.figures.devices[group.figures].exposed;
    CHECK(exposed <= before);
    before = exposed;
  }
  for (const DeviceFigures& figures : sample.gantt.figures.devices) {
    const bool shown = std::any_of(sample.gantt.groups.begin(), sample.gantt.groups.end(),
                                   [&](const LaneGroup& group) { return group.device == figures.device; });
    CHECK((shown || *figures.exposed <= before));
  }
}

TEST_CASE("ranks can be chosen") {
  GanttOptions options;
  options.ranks = {1, 2};
  const auto sample = test::sample_run({}, options);
  REQUIRE(sample.gantt.groups.size() == 2);
  CHECK(sample.gantt.groups[0].label == "rank 1");
  CHECK(sample.gantt.figures.devices.size() == 2);
}

TEST_CASE("ranks on clocks that nothing ties together each start at zero, and it is said") {
  TraceBuilder builder;
  for (int rank = 0; rank < 2; ++rank) {
    Track track;
    track.rank = RankId(rank);
    track.device = 0;
    track.kind = TrackKind::kEXECUTION;
    track.clock = builder.clock({ClockKind::kVIRTUAL, "virtual", ""});
    Context context;
    context.kind = SpanKind::kWORK;
    context.stage = Stage::kL1;
    builder.span(1'000'000 * (rank + 1), 50 + 10 * rank, builder.track(track), builder.name("l1"),
                 builder.context(context));
  }
  const Gantt gantt = test::sample_from(builder.finish()).gantt;
  CHECK(gantt.several_clocks);
  CHECK(gantt.length == 60);
  CHECK(gantt.lanes[1].segments == std::vector<Interval>{{0, 60}});
  CHECK(gantt.note == "2 clocks that nothing ties together: each starts at its own first work");
}

TEST_CASE("a run without device work has no lanes") {
  const Gantt gantt = test::sample_from({}).gantt;
  CHECK(gantt.groups.empty());
  CHECK(gantt.length == 0);
  CHECK_FALSE(gantt.figures.exposed);
}

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/lane_layout.h"

#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

TEST_CASE("lanes stand under each other, equally high, groups apart") {
  const auto sample = test::sample_run({});
  const LaneLayout layout(sample.gantt, {});
  REQUIRE(layout.lanes().size() == 20);
  REQUIRE(layout.groups().size() == 4);
  for (std::size_t i = 0; i < 20; ++i) {
    const LaneBox& box = layout.lanes()[i];
    CHECK(box.lane == i);
    CHECK(box.height == 20);
    if (i == 0) continue;
    const LaneBox& above = layout.lanes()[i - 1];
    const double gap = box.y - above.y - above.height;
    CHECK(gap == (i % 5 == 0 ? 14 + 2 * 7 : 5));
  }
  CHECK(layout.height() == layout.groups().back().y + layout.groups().back().height);
}

TEST_CASE("every y within a lane finds it, and gaps between groups find none") {
  const auto sample = test::sample_run({});
  const LaneLayout layout(sample.gantt, {});
  for (const LaneBox& box : layout.lanes())
    for (const double y : {box.y, box.y + 10, box.y + 19.9, box.y + 22}) CHECK(layout.lane_at(y) == box.lane);
  CHECK_FALSE(layout.lane_at(-1));
  CHECK_FALSE(layout.lane_at(layout.groups()[1].y - 5));
  CHECK_FALSE(layout.lane_at(layout.height() + 1));
}

TEST_CASE("bars shrink until all lanes fit, but not below what can be seen") {
  const auto sample = test::sample_run({});
  CHECK(fitting_heights(sample.gantt, 10'000).bar == 20);
  for (const double available : {600.0, 450.0, 300.0}) {
    const LaneHeights heights = fitting_heights(sample.gantt, available);
    CHECK(LaneLayout(sample.gantt, heights).height() <= available);
    CHECK(heights.bar >= 7);
  }
  CHECK(fitting_heights(sample.gantt, 10).bar == 7);
}

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/hit_test.h"

#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;
using test::sample_of;

namespace {

struct Scene {
  test::Sample sample = sample_of({{0, 1000, Stage::kDISPATCH, 0},
                                   {1000, 2000, Stage::kDISPATCH, 1},
                                   {3000, 3001, Stage::kDISPATCH, 2},
                                   {500, 4000, Stage::kL1, 0}});
  LaneLayout layout{sample.gantt, {}};
  TimeAxis axis{4000, 400};
  double middle(std::size_t lane) const { return layout.lanes()[lane].y + layout.lanes()[lane].height / 2; }
  std::optional<Hit> at(double ns, std::size_t lane) const {
    return hit_test(sample.gantt, layout, axis, axis.pixel_of(ns), middle(lane));
  }
};

}  // namespace

TEST_CASE("the span under the mouse, in its lane") {
  const Scene scene;
  CHECK(scene.at(500, 0)->segment == 0);
  CHECK(scene.at(1500, 0)->segment == 1);
  CHECK(scene.at(2000 + 500, 1)->row == scene.sample.gantt.lanes[1].row[0]);
  CHECK_FALSE(scene.at(2500, 0));
  CHECK_FALSE(scene.at(100, 1));
}

TEST_CASE("a span narrower than a pixel is found near it, the nearer one first") {
  const Scene scene;
  CHECK(scene.at(3020, 0)->segment == 2);
  CHECK(scene.at(2985, 0)->segment == 2);
  CHECK(scene.at(2010, 0)->segment == 1);
  CHECK_FALSE(scene.at(2960, 0));
}

TEST_CASE("outside the lanes there is nothing") {
  const Scene scene;
  CHECK_FALSE(hit_test(scene.sample.gantt, scene.layout, scene.axis, -5, scene.middle(0)));
  CHECK_FALSE(hit_test(scene.sample.gantt, scene.layout, scene.axis, 405, scene.middle(0)));
  CHECK_FALSE(hit_test(scene.sample.gantt, scene.layout, scene.axis, 50, -20));
  CHECK_FALSE(hit_test(scene.sample.gantt, scene.layout, scene.axis, 50, 5000));
  const Gantt nothing;
  CHECK_FALSE(hit_test(nothing, LaneLayout(nothing, {}), scene.axis, 50, 10));
}

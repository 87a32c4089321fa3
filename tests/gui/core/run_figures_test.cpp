// SPDX-License-Identifier: Apache-2.0
#include "gui/core/run_figures.h"

#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

TEST_CASE("a naive layer hides nothing: exposed is dispatch plus combine") {
  test::SampleShape shape;
  shape.waves = 0;
  const auto sample = test::sample_run(shape);
  REQUIRE(sample.gantt.figures.devices.size() == 4);
  for (const DeviceFigures& figures : sample.gantt.figures.devices) {
    CHECK(figures.communication == 12 * (320'000 + 400'000));
    CHECK(figures.exposed == figures.communication);
    CHECK(*figures.hidden_fraction == 0);
    CHECK(figures.steps == 6);
  }
  CHECK(*sample.gantt.figures.exposed == Approx(2 * 720'000));
  CHECK(*sample.gantt.figures.step == 2 * 1'690'000);
}

TEST_CASE("waves hide all but the first dispatch and the last combine") {
  const auto sample = test::sample_run({});
  for (const DeviceFigures& figures : sample.gantt.figures.devices) {
    CHECK(figures.exposed == 12 * (80'000 + 100'000));
    CHECK(*figures.hidden_fraction == Approx(1 - 180.0 / 720));
    CHECK(figures.by_role[static_cast<std::size_t>(Stage::kDISPATCH)].exposed == 12 * 80'000);
    CHECK(figures.by_role[static_cast<std::size_t>(Stage::kDISPATCH)].bytes == Approx(12 * 320'000 * 40.0));
    CHECK(figures.by_role[static_cast<std::size_t>(Stage::kL1)].bytes == -1);
    CHECK(figures.by_role[static_cast<std::size_t>(Stage::kACT)].flops == -1);
    CHECK(figures.by_role[static_cast<std::size_t>(Stage::kCOMBINE)].spans == 48);
  }
}

TEST_CASE("without communication there is nothing to hide, and no step means no step time") {
  const auto sample = test::sample_of({{0, 100, Stage::kL1}});
  CHECK_FALSE(sample.gantt.figures.hidden_fraction);
  CHECK_FALSE(sample.gantt.figures.exposed);
  CHECK_FALSE(sample.gantt.figures.step);
  CHECK(sample.gantt.figures.devices[0].busy == 100);
}

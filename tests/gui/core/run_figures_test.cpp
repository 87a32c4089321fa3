// SPDX-License-Identifier: Apache-2.0
#include "gui/core/run_figures.h"

#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

TEST_CASE("a naive layer hides nothing: exposed is dispatch plus combine") {
  test::SampleShape shape;
  shape.waves = 0;
  const RunFigures figures = test::sample_run(shape).gantt.figures;
  REQUIRE(figures.devices.size() == 4);
  CHECK(figures.per_step);
  for (const DeviceFigures& device : figures.devices) {
    CHECK(*device.exposed == Approx(2 * (320'000 + 400'000)));
    CHECK(*device.hidden == Approx(0));
  }
  CHECK(figures.exposed->median == Approx(2 * 720'000));
  CHECK(*figures.step >= 2 * 1'540'000);
  CHECK(*figures.step <= 2 * 1'690'000);
}

TEST_CASE("waves hide all but the first dispatch and the last combine") {
  const RunFigures figures = test::sample_run({}).gantt.figures;
  for (const DeviceFigures& device : figures.devices) {
    CHECK(*device.exposed == Approx(2 * (80'000 + 100'000)));
    CHECK(*device.hidden == Approx(1 - 180.0 / 720));
  }
}

TEST_CASE("without communication there is nothing to hide, and without steps no step time") {
  const RunFigures figures = test::sample_of({{0, 100, Stage::kL1}}).gantt.figures;
  CHECK_FALSE(figures.per_step);
  CHECK_FALSE(figures.hidden);
  CHECK_FALSE(figures.step);
}

TEST_CASE("values are shown in the unit of their metric") {
  CHECK(metric_text(*find_metric(Grain::kRank, "exposed_comm_ns"), 4'190'000) == "4.19 ms");
  CHECK(metric_text(*find_metric(Grain::kRank, "hidden_fraction"), 0.9631) == "96.3 %");
  CHECK(metric_text(*find_metric(Grain::kStage, "bytes"), 1.27e9) == "1.27 GB");
  CHECK(metric_text(*find_metric(Grain::kStage, "wire_bw_gb_s"), 40) == "40 GB/s");
  CHECK(metric_text(*find_metric(Grain::kStage, "tflops"), 0.0321) == "0.0321 TFLOP/s");
  CHECK(metric_text(*find_metric(Grain::kStage, "count"), 8) == "8");
}

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/telling_window.h"

#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

TEST_CASE("the middle step, with a little room") {
  const auto sample = test::sample_run({});
  const TellingWindow window = telling_window(sample.attribution.structure, sample.gantt);
  CHECK(window.what == "step 3");
  CHECK(window.time.begin < 3 * 2'640'000);
  CHECK(window.time.begin > 2 * 2'640'000 + 2'400'000);
  CHECK(window.time.end > 3 * 2'640'000 + 2'000'000);
  CHECK(window.time.end < 4 * 2'640'000 + 100'000);
}

TEST_CASE("of a step with many layers, those around the middle that stay readable") {
  test::SampleShape shape;
  shape.layers = 30;
  const auto waves = test::sample_run(shape);  // four spans a lane and layer
  const TellingWindow three = telling_window(waves.attribution.structure, waves.gantt);
  CHECK(three.what == "step 3, layers 14 to 16");
  CHECK(three.time.length() > 3'000'000);
  CHECK(three.time.length() < 8'000'000);
  shape.waves = 16;
  const auto many = test::sample_run(shape);
  CHECK(telling_window(many.attribution.structure, many.gantt).what == "step 3, layer 15");
  shape.waves = 0;
  shape.layers = 10;
  const auto naive = test::sample_run(shape);
  CHECK(telling_window(naive.attribution.structure, naive.gantt).what == "step 3");
}

TEST_CASE("chosen steps are shown whole") {
  const auto sample = test::sample_run({});
  const TellingWindow window = telling_window(sample.attribution.structure, sample.gantt, {1, 2});
  CHECK(window.what == "steps 1 to 2");
  CHECK(window.time.length() > 2 * 2'300'000);
}

TEST_CASE("without steps, some of the middle; of a short run, all of it") {
  std::vector<test::SampleSpan> spans;
  for (int i = 0; i < 100; ++i) {
    spans.push_back({i * 1000, i * 1000 + 300, Stage::kDISPATCH});
    spans.push_back({i * 1000 + 300, i * 1000 + 900, Stage::kL1});
  }
  const auto sample = test::sample_of(spans);
  const TellingWindow window = telling_window(sample.attribution.structure, sample.gantt);
  CHECK(window.time.begin > 40'000);
  CHECK(window.time.end < 60'000);
  CHECK(window.what == "4.47 µs from the middle of the run");
  const auto small = test::sample_of({{0, 100, Stage::kDISPATCH}, {100, 200, Stage::kL1}});
  CHECK(telling_window(small.attribution.structure, small.gantt).what == "the whole run");
  CHECK(telling_window({}, {}).time.length() > 0);
}

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/lane.h"

#include <optional>
#include <random>

#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

// Row on top at each instant, the slow way: the span that began last, of equal begins the shorter one, of equal ones
// the later in the list.
std::optional<std::uint32_t> top_at(const std::vector<LaneSpan>& spans, Ns instant) {
  const LaneSpan* top = nullptr;
  for (const LaneSpan& span : spans) {
    if (span.time.begin > instant || span.time.end <= instant) continue;
    if (top == nullptr || span.time.begin > top->time.begin ||
        (span.time.begin == top->time.begin && span.time.end <= top->time.end))
      top = &span;
  }
  return top == nullptr ? std::nullopt : std::optional(top->row);
}

}  // namespace

TEST_CASE("a span that begins later lies on top, and the one below comes back after it") {
  Lane lane;
  fill_segments({{{0, 100}, 1, 0}, {{20, 40}, 2, 1}, {{30, 50}, 3, -1}}, lane);
  CHECK(lane.segments == std::vector<Interval>{{0, 20}, {20, 30}, {30, 50}, {50, 100}});
  CHECK(lane.row == std::vector<std::uint32_t>{1, 2, 3, 1});
  CHECK(lane.wave == std::vector<std::int16_t>{0, 1, -1, 0});
  CHECK(lane.spans == 3);
  CHECK(lane.waves);
}

TEST_CASE("segments are disjoint, ascending, and show the topmost span at every instant") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<LaneSpan> spans;
    const int count = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < count; ++i) {
      const Ns begin = static_cast<Ns>(random() % 60) - 10;
      spans.push_back({{begin, begin + static_cast<Ns>(random() % 25)}, static_cast<std::uint32_t>(i), -1});
    }
    Lane lane;
    fill_segments(spans, lane);
    for (std::size_t i = 0; i < lane.segments.size(); ++i) {
      REQUIRE(lane.segments[i].length() > 0);
      if (i > 0) REQUIRE(lane.segments[i - 1].end <= lane.segments[i].begin);
    }
    for (Ns instant = -12; instant < 90; ++instant) {
      const std::size_t at = lane.first_ending_after(static_cast<double>(instant));
      const bool busy = at < lane.segments.size() && lane.segments[at].begin <= instant;
      REQUIRE((busy ? std::optional(lane.row[at]) : std::nullopt) == top_at(spans, instant));
    }
  }
}

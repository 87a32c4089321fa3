// SPDX-License-Identifier: Apache-2.0
#include "gui/core/lane_prepare.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "gui/core/row_raster.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

Lane random_lane(std::size_t count, unsigned seed, Ns longest_gap, Ns longest_span) {
  std::mt19937 random(seed);
  Lane lane;
  Ns now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now += static_cast<Ns>(random() % static_cast<unsigned>(longest_gap));
    const Ns end = now + 1 + static_cast<Ns>(random() % static_cast<unsigned>(longest_span));
    lane.segments.push_back({now, end});
    lane.row.push_back(static_cast<std::uint32_t>(i));
    lane.wave.push_back(static_cast<std::int16_t>(i % 4));
    if (random() % 7 == 0) lane.exposed.push_back({now, now + (end - now + 1) / 2});
    now = end;
  }
  lane.pyramid = SpanPyramid(lane.segments, lane.exposed, now);
  return lane;
}

// Share of each pixel that the intervals cover, from the definition.
std::vector<double> shares(const std::vector<Interval>& intervals, const TimeAxis& axis) {
  std::vector<double> result(static_cast<std::size_t>(std::ceil(axis.width())));
  for (std::size_t pixel = 0; pixel < result.size(); ++pixel) {
    const double left = axis.time_of(static_cast<double>(pixel)), right = axis.time_of(static_cast<double>(pixel) + 1);
    for (const Interval& interval : intervals)
      result[pixel] += std::max(0.0, std::min(right, static_cast<double>(interval.end)) -
                                         std::max(left, static_cast<double>(interval.begin))) /
                       (right - left);
  }
  return result;
}

}  // namespace

TEST_CASE("at any zoom and place, each pixel is as busy as its part of the time") {
  std::mt19937 random(17);
  for (int round = 0; round < 120; ++round) {
    const Lane lane = random_lane(1 + random() % 300, static_cast<unsigned>(round), 1 + static_cast<Ns>(random() % 900),
                                  1 + static_cast<Ns>(random() % 900));
    const auto length = static_cast<double>(lane.segments.back().end);
    TimeAxis axis(length, 20 + static_cast<double>(random() % 300));
    const double begin = -0.01 * length + length * (static_cast<double>(random() % 1000) / 1000);
    axis.show(begin, begin + length * std::pow(10, -static_cast<double>(random() % 40) / 10));
    const auto columns = columns_of(lane, prepare_lane(lane, axis), static_cast<std::size_t>(std::ceil(axis.width())));
    const auto busy = shares(lane.segments, axis), exposed = shares(lane.exposed, axis);
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
      INFO("round " << round << " pixel " << i);
      REQUIRE(static_cast<double>(columns[i].busy) == Approx(busy[i]).margin(1e-4));
      REQUIRE(static_cast<double>(columns[i].exposed) == Approx(exposed[i]).margin(1e-4));
    }
  }
}

TEST_CASE("folding from the pyramid loses no busy pixel and no time") {
  const Lane lane = random_lane(60'000, 99, 3000, 400);
  const auto length = static_cast<double>(lane.segments.back().end);
  for (const double part : {1.0, 0.5, 0.27}) {
    TimeAxis axis(length, 700);
    axis.show(0.2 * length * (1 - part), (0.2 * (1 - part) + part) * length);
    REQUIRE(lane.pyramid.level_for(axis.ns_per_pixel()) != nullptr);
    const LaneItems items = prepare_lane(lane, axis);
    CHECK(items.bars.empty());
    const auto columns = columns_of(lane, items, 700);
    const auto busy = shares(lane.segments, axis), exposed = shares(lane.exposed, axis);
    double drawn = 0, real = 0;
    for (std::size_t i = 0; i < 700; ++i) {
      if (busy[i] > 0) REQUIRE(columns[i].busy > 0);
      if (exposed[i] > 0) REQUIRE(columns[i].exposed > 0);
      drawn += static_cast<double>(columns[i].busy);
      real += busy[i];
    }
    CHECK(drawn == Approx(real).epsilon(0.01));
  }
}

TEST_CASE("the number of items follows pixels, not spans") {
  const Lane lane = random_lane(200'000, 4, 1000, 1000);
  TimeAxis axis(static_cast<double>(lane.segments.back().end), 800);
  const LaneItems items = prepare_lane(lane, axis);
  CHECK(items.folds.size() + items.bars.size() <= 800);
}

TEST_CASE("a bar that begins left of the view is cut a little outside, not at -1 or 0") {
  Lane lane;
  lane.segments = {{0, 1000}, {1000, 1400}};
  lane.row = {0, 1};
  lane.wave = {0, 1};
  TimeAxis axis(2000, 100);
  axis.show(500, 1500);
  const LaneItems items = prepare_lane(lane, axis);
  REQUIRE(items.bars.size() == 2);
  CHECK(items.bars[0].x0 == -4);
  CHECK(items.bars[0].x1 == Approx(50));
  CHECK(items.bars[1].x1 == Approx(90));
}

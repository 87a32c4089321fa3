// SPDX-License-Identifier: Apache-2.0
#include "gui/core/ruler_ticks.h"

#include <cmath>
#include <random>
#include <set>

#include "tests/support/catch.h"

using namespace moescope::gui;

namespace {

std::vector<std::string> labels(double begin, double end, double width, double length = 1e12) {
  TimeAxis axis(length, width);
  axis.show(begin, end);
  std::vector<std::string> result;
  for (const Tick& tick : ruler_ticks(axis)) result.push_back(tick.label);
  return result;
}

}  // namespace

TEST_CASE("ticks are labelled in the unit that needs few digits") {
  CHECK(labels(0, 1.1e6, 1100) == std::vector<std::string>{"0.0 ms", "0.1 ms", "0.2 ms", "0.3 ms", "0.4 ms", "0.5 ms",
                                                           "0.6 ms", "0.7 ms", "0.8 ms", "0.9 ms", "1.0 ms", "1.1 ms"});
  CHECK(labels(0, 900, 500) == std::vector<std::string>{"0 ns", "200 ns", "400 ns", "600 ns", "800 ns"});
  CHECK(labels(2.0001e9, 2.0004e9, 400) ==
        std::vector<std::string>{"2000.1 ms", "2000.2 ms", "2000.3 ms", "2000.4 ms"});
  CHECK(labels(0, 20e9, 500) == std::vector<std::string>{"0 s", "5 s", "10 s", "15 s", "20 s"});
}

TEST_CASE("for any view: steps of 1, 2 or 5, far enough apart, none missing, no two labels alike") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 3000; ++i) {
    TimeAxis axis(std::pow(10, 3 + 8 * unit(random)), 300 + 2500 * unit(random));
    const double begin = axis.length() * unit(random);
    axis.show(begin, begin + axis.length() * std::pow(10, -6 * unit(random)));
    const auto ticks = ruler_ticks(axis);
    std::set<std::string> seen;
    for (const Tick& tick : ticks) {
      REQUIRE(seen.insert(tick.label).second);
      REQUIRE(tick.pixel == Approx(axis.pixel_of(tick.time)).margin(1e-6));
      REQUIRE(tick.pixel >= -1e-3);
      REQUIRE(tick.pixel <= axis.width() + 1e-3);
    }
    if (ticks.size() < 2) continue;
    const double step = ticks[1].time - ticks[0].time;
    REQUIRE(ticks[1].pixel - ticks[0].pixel >= 99.9);
    const double mantissa = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    REQUIRE((std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 || std::abs(mantissa - 5) < 1e-6));
    REQUIRE(ticks.front().time - step < axis.begin() + 1e-6 * step);
    REQUIRE(ticks.back().time + step > axis.end() - 1e-6 * step);
  }
}

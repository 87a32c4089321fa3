// SPDX-License-Identifier: Apache-2.0
#include "gui/core/time_axis.h"

#include <cmath>
#include <random>

#include "tests/support/catch.h"

using namespace moescope::gui;

TEST_CASE("a fresh axis shows the whole run with a little room on both sides") {
  const TimeAxis axis(1e6, 1000);
  CHECK(axis.begin() == Approx(-1e4));
  CHECK(axis.end() == Approx(1.01e6));
  CHECK(axis.shows_all());
}

TEST_CASE("pixels and times are each other's inverse, also left of the view") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 2000; ++i) {
    TimeAxis axis(std::pow(10, 3 + 9 * unit(random)), 100 + 4000 * unit(random));
    const double begin = axis.length() * unit(random);
    axis.show(begin, begin + axis.length() * unit(random));
    const double pixel = (unit(random) - 0.5) * 2 * axis.width();
    CHECK(axis.pixel_of(axis.time_of(pixel)) == Approx(pixel).margin(1e-6));
  }
}

TEST_CASE("looking closer keeps the time under the mouse") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 2000; ++i) {
    TimeAxis axis(1e9 * (0.01 + unit(random)), 200 + 2000 * unit(random));
    for (int notch = 0; notch < 12; ++notch) {
      const double pixel = axis.width() * unit(random);
      const double before = axis.time_of(pixel), visible = axis.end() - axis.begin();
      axis.zoom_about(pixel, 1 + unit(random));
      CHECK(std::abs(axis.time_of(pixel) - before) < 1e-6 * visible / axis.width());
    }
  }
}

TEST_CASE("zooming in and out by the same factor returns to the same view, away from the edges") {
  TimeAxis axis(1e9, 1000);
  axis.show(4e8, 5e8);
  axis.zoom_about(300, 3);
  axis.zoom_about(300, 1.0 / 3);
  CHECK(axis.begin() == Approx(4e8));
  CHECK(axis.end() == Approx(5e8));
}

TEST_CASE("no gesture leaves the run") {
  TimeAxis axis(1e6, 1000);
  axis.pan(-1e9);
  CHECK(axis.begin() == Approx(-1e4));
  axis.zoom_about(500, 1e12);
  CHECK(axis.end() - axis.begin() == Approx(10));
  axis.pan(1e12);
  CHECK(axis.end() == Approx(1.01e6));
  axis.zoom_about(10, 1e-12);
  CHECK(axis.shows_all());
  axis.zoom_about(10, 0);
  axis.zoom_about(10, -1);
  axis.zoom_about(10, std::nan(""));
  CHECK(axis.shows_all());
}

TEST_CASE("a resized window shows the same times") {
  TimeAxis axis(1e6, 1000);
  axis.show(2e5, 3e5);
  axis.set_width(1700);
  CHECK(axis.begin() == Approx(2e5));
  CHECK(axis.end() == Approx(3e5));
  const TimeAxis device = axis.in_device_pixels(2);
  CHECK(device.pixel_of(2.5e5) == Approx(1700));
}

TEST_CASE("an empty run still has an axis") {
  const TimeAxis axis(0, 0);
  CHECK(axis.end() > axis.begin());
  CHECK(std::isfinite(axis.pixel_of(5)));
}

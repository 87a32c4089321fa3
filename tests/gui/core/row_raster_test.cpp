// SPDX-License-Identifier: Apache-2.0
#include "gui/core/row_raster.h"

#include <string>

#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

constexpr Color kBack = 0xff000000, kHatch = 0xff0000ff;

struct Part {
  Ns begin, end;
  int wave;
};
Lane lane_of(const std::vector<Part>& parts, std::vector<Interval> exposed = {}) {
  Lane lane;
  lane.role = Stage::kDISPATCH;
  for (const Part& part : parts) {
    lane.row.push_back(static_cast<std::uint32_t>(lane.row.size()));
    lane.segments.push_back({part.begin, part.end});
    lane.wave.push_back(static_cast<std::int16_t>(part.wave));
  }
  lane.exposed = std::move(exposed);
  return lane;
}
// 20 pixels of 10 ns each.
std::vector<Column> columns(const Lane& lane, double begin = 0) {
  TimeAxis axis(1000, 20);
  axis.show(begin, begin + 200);
  return columns_of(lane, prepare_lane(lane, axis), 20);
}
// One character a pixel: '.' nothing, 'D' the whole pixel without a wave, a digit: its wave, '+' a part, '~' folded.
std::string row(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    const char full = column.wave < 0 ? 'D' : static_cast<char>('0' + column.wave);
    text += column.busy <= 0 ? '.' : column.folded ? '~' : column.busy < 0.999f ? '+' : full;
  }
  return text;
}
std::string exposed_row(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) text += column.exposed <= 0 ? '.' : column.exposed < 0.999f ? '-' : '/';
  return text;
}

struct Canvas {
  std::vector<std::uint32_t> pixels;
  PixelRows rows;
  Canvas(int width, int height) : pixels(static_cast<std::size_t>(width * height), kBack) {
    rows = {pixels.data(), static_cast<std::size_t>(width), width, height};
  }
  Color at(int x, int y) const { return pixels[static_cast<std::size_t>(y * rows.width + x)]; }
};

}  // namespace

TEST_CASE("bars with and without waves, whole pixels") {
  CHECK(row(columns(lane_of({{20, 60, -1}, {60, 100, 1}}))) == "..DDDD1111..........");
  CHECK(row(columns(lane_of({{0, 40, 0}, {40, 80, 1}, {80, 120, 2}, {120, 160, 3}}))) == "0000111122223333....");
}

TEST_CASE("parts of pixels, at the ends and between") {
  CHECK(row(columns(lane_of({{25, 60, 0}, {65, 98, 1}}))) == "..+000+11+..........");
}

TEST_CASE("short spans fold into shares") {
  CHECK(row(columns(lane_of({{21, 23, 0}, {25, 27, 1}, {41, 45, 2}, {100, 140, 3}}))) == "..~.~.....3333......");
  const auto folded = columns(lane_of({{21, 23, 0}, {25, 27, 1}}));
  CHECK(folded[2].busy == Approx(0.4));
}

TEST_CASE("a view that begins inside a bar, and one after everything") {
  CHECK(row(columns(lane_of({{0, 250, 0}, {300, 340, 1}}), 150)) == "0000000000.....1111.");
  CHECK(row(columns(lane_of({{0, 50, 0}}), 400)) == "....................");
}

TEST_CASE("exposed time is its own row") {
  const auto both = columns(lane_of({{20, 100, 0}}, {{20, 60}, {95, 100}}));
  CHECK(row(both) == "..00000000..........");
  CHECK(exposed_row(both) == "..////...-..........");
}

TEST_CASE("touching bars of different spans are kept apart by a seam, parts of one span are not") {
  Lane lane = lane_of({{0, 100, -1}, {100, 200, -1}});
  CHECK(columns(lane)[10].seam);
  lane.row = {7, 7};
  CHECK_FALSE(columns(lane)[10].seam);
}

TEST_CASE("a lane fills its rows, and only those") {
  Canvas canvas(24, 12);
  LaneStyle style;
  style.stage = stage_color(Stage::kDISPATCH, Theme::kDark);
  style.hatch = kHatch;
  raster_lane(columns(lane_of({{20, 100, 0}, {100, 180, 1}})), style, 3, 2, 8, canvas.rows);
  const Color even = wave_color(style.stage, 0, Theme::kDark), odd = wave_color(style.stage, 1, Theme::kDark);
  for (int y = 3; y < 9; ++y) {
    CHECK(canvas.at(3 + 5, y) == even);
    CHECK(canvas.at(3 + 15, y) == odd);
    CHECK(canvas.at(2, y) == kBack);
    CHECK(canvas.at(3 + 18, y) == kBack);
  }
  for (int x = 0; x < 24; ++x) {
    CHECK(canvas.at(x, 1) == kBack);
    CHECK(canvas.at(x, 10) == kBack);
  }
  CHECK(canvas.at(3 + 2, 2) != even);  // the corner is rounded off
  CHECK(canvas.at(3 + 5, 2) == even);
}

TEST_CASE("exposed pixels are hatched with slanted stripes, others are plain") {
  Canvas canvas(20, 20);
  LaneStyle style;
  style.stage = 0xff00ff00;
  style.hatch = kHatch;
  raster_lane(columns(lane_of({{0, 200, -1}}, {{0, 100}})), style, 0, 0, 20, canvas.rows);
  int striped = 0, plain = 0;
  for (int y = 1; y < 19; ++y)
    for (int x = 1; x < 9; ++x) {
      (canvas.at(x, y) == style.stage ? plain : striped)++;
      CHECK(canvas.at(x + 11 - 1, y) == style.stage);                          // not exposed
      if (x < 8 && y < 18) CHECK(canvas.at(x + 1, y) == canvas.at(x, y + 1));  // slanted
    }
  CHECK(striped > 40);
  CHECK(plain > 40);
}

TEST_CASE("rows above and below the image are cut off") {
  Canvas canvas(20, 6);
  LaneStyle style;
  style.stage = 0xff00ff00;
  style.hatch = kHatch;
  const auto shown = columns(lane_of({{0, 200, -1}}, {{0, 200}}));
  Canvas whole(20, 20);
  raster_lane(shown, style, 0, 0, 20, whole.rows);
  raster_lane(shown, style, 0, -7, 20, canvas.rows);
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 20; ++x) CHECK(canvas.at(x, y) == whole.at(x, y + 7));
  raster_lane(shown, style, -300, 0, 6, canvas.rows);
  raster_lane(shown, style, 0, 40, 6, canvas.rows);
}

TEST_CASE("a folded pixel is brighter the busier it is, and never invisible") {
  LaneStyle style;
  style.stage = 0xffffffff;
  Column column;
  column.folded = true;
  double before = luminance(kBack);
  for (const float busy : {0.001f, 0.2f, 0.5f, 0.9f, 1.0f}) {
    column.busy = busy;
    const double now = luminance(column_color(column, kBack, style));
    CHECK(now > before);
    before = now;
  }
  column.busy = 0.001f;
  CHECK(luminance(column_color(column, kBack, style)) > 0.03);
}

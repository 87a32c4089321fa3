#pragma once
// SPDX-License-Identifier: Apache-2.0
// Lanes into pixels. A lane looks the same in each of its rows (but for the hatch, which repeats), so one row is
// computed and copied down: 20 times quicker than painting rectangles one by one.

#include <cstdint>
#include <span>
#include <vector>

#include "gui/core/lane_prepare.h"
#include "gui/core/palette.h"

namespace moescope::gui {

struct Column {                 // one pixel of a lane
  float busy = 0, exposed = 0;  // shares of the pixel
  std::int16_t wave = -1;
  bool folded = false;  // many spans: brightness tells the busy share
  bool seam = false;    // a bar begins where another ended: a line keeps them apart
  bool corner = false;  // first or last pixel of a bar: its corners are rounded off
};
std::vector<Column> columns_of(const Lane& lane, const LaneItems& items, std::size_t width);

struct PixelRows {  // a view of an image, 0xAARRGGBB
  std::uint32_t* pixels = nullptr;
  std::size_t stride = 0;  // pixels a row
  int width = 0, height = 0;
};
struct LaneStyle {
  Color stage = 0, hatch = 0;
  Theme theme = Theme::kDark;
  int hatch_period = 8;  // device pixels
};
// Draws into rows [y, y + height) from pixel x on, cut to the image; what lies under it is taken from row y of the
// image and must be the same in all rows of the lane.
void raster_lane(std::span<const Column> columns, const LaneStyle& style, int x, int y, int height,
                 const PixelRows& image);
// The colour of a column without hatch, over the given background.
Color column_color(const Column& column, Color background, const LaneStyle& style);

}  // namespace moescope::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/row_raster.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace moescope::gui {
namespace {

constexpr double kCornersFromPx = 6, kSeamsFromPx = 5;
constexpr double kFaintest = 0.4;  // how visible a folded pixel with hardly any work is

// Strength of the diagonal stripes at a position within their period: full, then a soft edge, then nothing.
double stripe(int position, int period) {
  const double at = (position + 0.5) / period;
  const double soft = 1.0 / period;
  const double from_edge = 0.22 - std::abs(at - 0.5);
  return std::clamp(from_edge / soft + 0.5, 0.0, 1.0);
}

}  // namespace

std::vector<Column> columns_of(const Lane& lane, const LaneItems& items, std::size_t width) {
  std::vector<Column> columns(width);
  const auto inside = [width](double x) { return x >= 0 && x < static_cast<double>(width); };
  for (const Fold& fold : items.folds) {
    if (!inside(fold.pixel)) continue;
    Column& column = columns[static_cast<std::size_t>(fold.pixel)];
    column.busy = fold.share;
    column.folded = true;
  }
  const Bar* previous = nullptr;
  for (const Bar& bar : items.bars) {
    const std::int16_t wave = lane.wave[bar.segment];
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(bar.x0)));
    const auto last = static_cast<std::size_t>(std::clamp(std::ceil(bar.x1), 0.0, static_cast<double>(width)));
    for (std::size_t pixel = first; pixel < last; ++pixel) {
      Column& column = columns[pixel];
      const auto left = static_cast<double>(pixel);
      const auto cover = static_cast<float>(std::min(bar.x1, left + 1) - std::max(bar.x0, left));
      if (cover >= column.busy) column.wave = wave, column.folded = false;
      column.busy = std::min(1.0f, column.busy + cover);
    }
    const double length = bar.x1 - bar.x0;
    if (length >= kCornersFromPx) {
      for (const double x : {std::round(bar.x0), std::round(bar.x1) - 1})
        if (inside(x)) columns[static_cast<std::size_t>(x)].corner = true;
    }
    const bool touches =
        previous != nullptr && bar.x0 - previous->x1 < 1 && lane.row[previous->segment] != lane.row[bar.segment];
    if (touches && length >= kSeamsFromPx && inside(std::round(bar.x0)))
      columns[static_cast<std::size_t>(std::round(bar.x0))].seam = true;
    previous = &bar;
  }
  for (const Fold& fold : items.hatch_folds)
    if (inside(fold.pixel)) columns[static_cast<std::size_t>(fold.pixel)].exposed += fold.share;
  for (const Bar& hatch : items.hatches) {
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(hatch.x0)));
    const auto last = static_cast<std::size_t>(std::clamp(std::ceil(hatch.x1), 0.0, static_cast<double>(width)));
    for (std::size_t pixel = first; pixel < last; ++pixel) {
      const auto left = static_cast<double>(pixel);
      columns[pixel].exposed += static_cast<float>(std::min(hatch.x1, left + 1) - std::max(hatch.x0, left));
    }
  }
  for (Column& column : columns) column.exposed = std::min(column.exposed, column.busy);
  return columns;
}

namespace {

struct Fills {  // a lane's two tones
  Color even, odd;
  explicit Fills(const LaneStyle& style)
      : even(wave_color(style.stage, 0, style.theme)), odd(wave_color(style.stage, 1, style.theme)) {}
  Color of(int wave) const { return wave > 0 && wave % 2 == 1 ? odd : even; }
};

Color color_of(const Column& column, Color background, const Fills& fills) {
  if (column.busy <= 0) return background;
  const auto busy = static_cast<double>(column.busy);
  const double share = column.folded ? kFaintest + (1 - kFaintest) * busy : busy;
  const Color color = mix(background, fills.of(column.wave), share);
  return column.seam ? mix(color, background, 0.7) : color;
}

}  // namespace

Color column_color(const Column& column, Color background, const LaneStyle& style) {
  return color_of(column, background, Fills(style));
}

void raster_lane(std::span<const Column> columns, const LaneStyle& style, int x, int y, int height,
                 const PixelRows& image) {
  const int top = std::max(y, 0), bottom = std::min(y + height, image.height);
  const int left = std::max(x, 0), right = std::min(x + static_cast<int>(columns.size()), image.width);
  if (top >= bottom || left >= right) return;
  const auto count = static_cast<std::size_t>(right - left);
  const auto row_at = [&](int row) {
    return image.pixels + static_cast<std::size_t>(row) * image.stride + static_cast<std::size_t>(left);
  };
  const std::span<const Column> shown = columns.subspan(static_cast<std::size_t>(left - x), count);
  const std::vector<Color> background(row_at(top), row_at(top) + count);

  bool hatched = false;
  const Fills fills(style);
  std::vector<Color> plain(count);
  for (std::size_t i = 0; i < count; ++i) {
    plain[i] = color_of(shown[i], background[i], fills);
    hatched = hatched || shown[i].exposed > 0;
  }
  const int period = std::max(style.hatch_period, 2);
  std::vector<double> stripes(static_cast<std::size_t>(period));
  for (int i = 0; i < period; ++i) stripes[static_cast<std::size_t>(i)] = 0.78 * stripe(i, period);
  const auto draw = [&](int row, Color* out, bool corner_row) {
    std::memcpy(out, plain.data(), count * sizeof(Color));
    if (hatched) {
      for (std::size_t i = 0; i < count; ++i) {
        if (shown[i].exposed <= 0) continue;
        const int position = (left + static_cast<int>(i) + row - y) % period;
        const double strength =
            stripes[static_cast<std::size_t>(position)] * static_cast<double>(shown[i].exposed / shown[i].busy);
        if (strength > 0) out[i] = mix(out[i], style.hatch, strength);
      }
    }
    if (corner_row)
      for (std::size_t i = 0; i < count; ++i)
        if (shown[i].corner) out[i] = mix(out[i], background[i], 0.6);
  };
  const int repeat = hatched ? period : 1;
  const int first_inner = std::max(top, y + 1);
  for (int row = top; row < bottom; ++row) {
    const bool corner_row = height >= 6 && (row == y || row == y + height - 1);
    if (!corner_row && row - repeat >= first_inner)
      std::memcpy(row_at(row), row_at(row - repeat), count * sizeof(Color));
    else
      draw(row, row_at(row), corner_row);
  }
}

}  // namespace moescope::gui

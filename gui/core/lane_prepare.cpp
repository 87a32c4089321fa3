// SPDX-License-Identifier: Apache-2.0
#include "gui/core/lane_prepare.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace moescope::gui {
namespace {

constexpr double kBeyondEdgePx = 4;  // so that a bar that goes on outside shows no end

// Adds the part of [x0, x1) that lies in each pixel.
void spread(std::vector<float>& pixels, double x0, double x1, double weight) {
  x0 = std::max(x0, 0.0);
  x1 = std::min(x1, static_cast<double>(pixels.size()));
  if (!(x0 < x1)) return;
  auto pixel = static_cast<std::size_t>(x0);
  for (; pixel < pixels.size() && static_cast<double>(pixel) < x1; ++pixel) {
    const auto left = static_cast<double>(pixel);
    pixels[pixel] += static_cast<float>(weight * (std::min(x1, left + 1) - std::max(x0, left)));
  }
}

void collect(const std::vector<float>& pixels, std::vector<Fold>& folds) {
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (pixels[i] > 0) folds.push_back({static_cast<int>(i), std::min(pixels[i], 1.0f)});
}

void scan(std::span<const Interval> intervals, const TimeAxis& axis, std::vector<Bar>& bars, std::vector<Fold>& folds) {
  std::vector<float> pixels(static_cast<std::size_t>(std::ceil(axis.width())), 0.0f);
  bool folded = false;
  const double begin = axis.begin(), end = axis.end();
  const auto first = std::partition_point(intervals.begin(), intervals.end(), [begin](const Interval& interval) {
    return static_cast<double>(interval.end) <= begin;
  });
  for (auto it = first; it != intervals.end() && static_cast<double>(it->begin) < end; ++it) {
    const double x0 = axis.pixel_of(static_cast<double>(it->begin)), x1 = axis.pixel_of(static_cast<double>(it->end));
    if (x1 - x0 >= kFoldBelowPx) {
      bars.push_back({std::max(x0, -kBeyondEdgePx), std::min(x1, axis.width() + kBeyondEdgePx),
                      static_cast<std::size_t>(it - intervals.begin())});
    } else {
      spread(pixels, x0, x1, 1);
      folded = true;
    }
  }
  if (folded) collect(pixels, folds);
}

void read_level(const SpanPyramid::Level& level, const TimeAxis& axis, LaneItems& items) {
  const auto width = static_cast<std::size_t>(std::ceil(axis.width()));
  std::vector<float> busy(width, 0.0f), exposed(width, 0.0f);
  const double first = std::max(0.0, std::floor(axis.begin() / level.bucket_ns));
  const double last = std::min(static_cast<double>(level.buckets.size()), std::ceil(axis.end() / level.bucket_ns));
  const double bucket_px = level.bucket_ns / axis.ns_per_pixel(), origin = axis.pixel_of(0);
  const auto whole = static_cast<float>(bucket_px);
  for (double i = first; i < last; ++i) {
    const Bucket& bucket = level.buckets[static_cast<std::size_t>(i)];
    if (bucket.busy <= 0) continue;
    const double x0 = origin + i * bucket_px, x1 = x0 + bucket_px;
    if (x0 >= 0 && x1 < static_cast<double>(width) && static_cast<int>(x0) == static_cast<int>(x1)) {
      const auto pixel = static_cast<std::size_t>(x0);  // as most do: the whole bucket lies in one pixel
      busy[pixel] += whole * bucket.busy;
      exposed[pixel] += whole * bucket.exposed;
    } else {
      spread(busy, x0, x1, static_cast<double>(bucket.busy));
      spread(exposed, x0, x1, static_cast<double>(bucket.exposed));
    }
  }
  collect(busy, items.folds);
  collect(exposed, items.hatch_folds);
}

}  // namespace

LaneItems prepare_lane(const Lane& lane, const TimeAxis& axis) {
  LaneItems items;
  if (const SpanPyramid::Level* level = lane.pyramid.level_for(axis.ns_per_pixel())) {
    read_level(*level, axis, items);
    return items;
  }
  scan(lane.segments, axis, items.bars, items.folds);
  scan(lane.exposed, axis, items.hatches, items.hatch_folds);
  return items;
}

}  // namespace moescope::gui

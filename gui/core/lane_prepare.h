#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a lane shows on an axis: bars wide enough to be seen one by one, and, for everything narrower, how busy each
// pixel is. The cost follows pixels: spans are scanned only while a pixel covers few of them, else the lane's pyramid
// is read. Pure; lanes are independent of each other.

#include <cstddef>
#include <vector>

#include "gui/core/lane.h"
#include "gui/core/time_axis.h"

namespace moescope::gui {

inline constexpr double kFoldBelowPx = 2;  // narrower segments are folded into pixels

struct Bar {
  double x0 = 0, x1 = 0;  // pixels, cut to a little beyond the axis' edges
  std::size_t segment = 0;
};
struct Fold {
  int pixel = 0;
  float share = 0;  // 0..1, of the pixel's time
};
struct LaneItems {
  std::vector<Bar> bars;     // ascending
  std::vector<Fold> folds;   // ascending, one a pixel at most
  std::vector<Bar> hatches;  // exposed communication; segment: index into Lane::exposed
  std::vector<Fold> hatch_folds;
};

LaneItems prepare_lane(const Lane& lane, const TimeAxis& axis);

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the ruler has its marks: steps of 1, 2 or 5 times a power of ten, at least a given distance apart, with labels
// in the unit that needs the fewest digits.

#include <string>
#include <vector>

#include "gui/core/time_axis.h"

namespace moescope::gui {

struct Tick {
  double time = 0;   // ns
  double pixel = 0;  // on the axis
  std::string label;
};
std::vector<Tick> ruler_ticks(const TimeAxis& axis, double min_distance_px = 100);

}  // namespace moescope::gui

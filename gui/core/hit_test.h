#pragma once
// SPDX-License-Identifier: Apache-2.0
// What lies under the mouse. O(log n).

#include <optional>

#include "gui/core/lane_layout.h"
#include "gui/core/time_axis.h"

namespace moescope::gui {

struct Hit {
  std::size_t lane = 0, segment = 0;
  std::uint32_t row = 0;  // in Trace::spans
  friend bool operator==(const Hit&, const Hit&) = default;
};
// x on the axis, y in the layout's coordinates. Misses by up to `reach` pixels still find the nearest span: some are
// narrower than a mouse is precise.
std::optional<Hit> hit_test(const Gantt& gantt, const LaneLayout& layout, const TimeAxis& axis, double x, double y,
                            double reach = 3);

}  // namespace moescope::gui

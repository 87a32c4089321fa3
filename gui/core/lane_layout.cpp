// SPDX-License-Identifier: Apache-2.0
#include "gui/core/lane_layout.h"

#include <algorithm>
#include <cmath>

namespace moescope::gui {

LaneLayout::LaneLayout(const Gantt& gantt, LaneHeights heights) : heights_(heights) {
  double y = 0;
  for (std::size_t i = 0; i < gantt.groups.size(); ++i) {
    const LaneGroup& group = gantt.groups[i];
    if (i > 0) y += heights.group_gap;
    GroupBox box{i, y, 0};
    y += heights.padding;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      if (lane > 0) y += heights.lane_gap;
      lanes_.push_back({group.first_lane + lane, y, heights.bar});
      y += heights.bar;
    }
    y += heights.padding;
    box.height = y - box.y;
    groups_.push_back(box);
  }
  height_ = y;
}

std::optional<std::size_t> LaneLayout::lane_at(double y) const {
  const double reach = heights_.lane_gap / 2;
  const auto found = std::partition_point(lanes_.begin(), lanes_.end(),
                                          [&](const LaneBox& box) { return box.y + box.height + reach <= y; });
  if (found == lanes_.end() || y < found->y - reach) return std::nullopt;
  return found->lane;
}

LaneHeights fitting_heights(const Gantt& gantt, double available) {
  LaneHeights heights;
  for (; heights.bar > 7; heights.bar -= 1) {
    heights.lane_gap = std::round(heights.bar / 4);
    heights.group_gap = std::round(0.7 * heights.bar);
    heights.padding = std::round(0.35 * heights.bar);
    if (LaneLayout(gantt, heights).height() <= available) break;
  }
  return heights;
}

}  // namespace moescope::gui

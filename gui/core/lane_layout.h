#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the lanes stand: groups under each other, a gap between them, every bar equally high. Logical pixels; y = 0 is
// the top of the first group, before scrolling.

#include <optional>
#include <vector>

#include "gui/core/gantt.h"

namespace moescope::gui {

struct LaneHeights {
  double bar = 20, lane_gap = 5, group_gap = 14, padding = 7;  // padding: inside a group, above and below its lanes
};
struct LaneBox {
  std::size_t lane = 0;
  double y = 0, height = 0;  // of the bar
};
struct GroupBox {
  std::size_t group = 0;
  double y = 0, height = 0;
};

class LaneLayout {
 public:
  LaneLayout() = default;
  LaneLayout(const Gantt& gantt, LaneHeights heights);
  const std::vector<LaneBox>& lanes() const { return lanes_; }
  const std::vector<GroupBox>& groups() const { return groups_; }
  double height() const { return height_; }
  const LaneHeights& heights() const { return heights_; }
  std::optional<std::size_t> lane_at(double y) const;  // within the bar or the half gap around it

 private:
  LaneHeights heights_;
  std::vector<LaneBox> lanes_;
  std::vector<GroupBox> groups_;
  double height_ = 0;
};

// Heights that let all lanes stand in `available` pixels, between the preferred ones and bars of 7 pixels.
LaneHeights fitting_heights(const Gantt& gantt, double available);

}  // namespace moescope::gui

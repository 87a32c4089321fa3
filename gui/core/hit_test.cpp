// SPDX-License-Identifier: Apache-2.0
#include "gui/core/hit_test.h"

#include <algorithm>

namespace moescope::gui {

std::optional<Hit> hit_test(const Gantt& gantt, const LaneLayout& layout, const TimeAxis& axis, double x, double y,
                            double reach) {
  if (x < 0 || x > axis.width()) return std::nullopt;
  const auto lane_index = layout.lane_at(y);
  if (!lane_index) return std::nullopt;
  const Lane& lane = gantt.lanes[*lane_index];
  const double time = axis.time_of(x);
  const std::size_t after = lane.first_ending_after(time);
  // The candidates: the segment that contains or follows the instant, and the one before.
  std::optional<std::size_t> best;
  double best_distance = reach * axis.ns_per_pixel();
  const auto consider = [&](std::size_t segment) {
    const Interval& interval = lane.segments[segment];
    const double distance =
        std::max({0.0, static_cast<double>(interval.begin) - time, time - static_cast<double>(interval.end)});
    if (distance < best_distance) best_distance = distance, best = segment;
  };
  if (after < lane.segments.size()) consider(after);
  if (after > 0) consider(after - 1);
  if (!best) return std::nullopt;
  return Hit{*lane_index, *best, lane.row[*best]};
}

}  // namespace moescope::gui

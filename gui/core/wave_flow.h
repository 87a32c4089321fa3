#pragma once
// SPDX-License-Identifier: Apache-2.0
// The thread that runs through a layer: from the end of one stage of a wave to the begin of its next stage on the same
// device, dispatch to combine (in the backward pass the other way). Looks only at bars that are drawn.

#include <span>
#include <vector>

#include "gui/core/gantt.h"
#include "gui/core/lane_prepare.h"

namespace moescope::gui {

struct Flow {
  std::size_t from_lane = 0, to_lane = 0;
  double x0 = 0, x1 = 0;  // end of the first, begin of the second, in the items' pixels
};
// items: one a lane, in the order of gantt.lanes. Empty where more than `most` would be drawn: then they only hide what
// they should explain.
std::vector<Flow> wave_flows(const Trace& trace, const Attribution& attribution, const Gantt& gantt,
                             std::span<const LaneItems> items, std::size_t most = 500);

}  // namespace moescope::gui

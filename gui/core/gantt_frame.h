#pragma once
// SPDX-License-Identifier: Apache-2.0
// One picture of a Gantt, as data: where everything stands, what each lane shows, and the shapes around and above the
// bars. Screen, screenshot and SVG draw the same frame. Pure; the time axis says what is in view.

#include <optional>

#include "gui/core/lane_layout.h"
#include "gui/core/lane_prepare.h"
#include "gui/core/run_title.h"
#include "gui/core/scene.h"
#include "gui/core/wave_flow.h"

namespace moescope::gui {

struct FrameGeometry {
  double width = 0, height = 0;
  double plot_x = 0, plot_width = 0;     // where time runs
  double ruler_y = 0;                    // the ruler's labels stand between it and lanes_y
  double lanes_y = 0, lanes_height = 0;  // the lanes' window; they scroll in it
};
FrameGeometry frame_geometry(double width, double height);
// The height that shows all lanes at these heights.
double height_for(double lanes_height);

struct FrameInput {
  const Trace* trace = nullptr;
  const Attribution* attribution = nullptr;
  const Gantt* gantt = nullptr;
  RunTitle title;
  std::string window_note;  // what time is shown
  std::string extra_note;   // what else isn't in the picture
  TimeAxis axis;            // its width is the geometry's plot_width
  LaneHeights heights;
  FrameGeometry geometry;
  double scroll = 0;       // pixels of lanes above the window
  double pixel_ratio = 1;  // device pixels per logical one
  Theme theme = Theme::kDark;
  TextWidth text_width;
};

struct Frame {
  FrameGeometry geometry;
  LaneLayout layout;
  double scroll = 0;
  Theme theme = Theme::kDark;
  std::vector<LaneItems> items;  // one a lane, in device pixels of the plot; empty for lanes out of view
  Scene below;                   // under the bars, cut to the lanes' window
  Scene above;                   // over the bars, cut to the lanes' window
  Scene border;                  // title, ruler, legend
  double y_of(const LaneBox& box) const { return geometry.lanes_y + box.y - scroll; }
};
Frame build_frame(const FrameInput& input);

}  // namespace moescope::gui

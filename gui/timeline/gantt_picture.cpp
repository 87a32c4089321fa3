// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/gantt_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/core/telling_window.h"

namespace moescope::gui {

Frame picture_frame(const RunData& run, const PictureRequest& request, const TextWidth& text_width) {
  FrameInput input;
  input.trace = &run.trace;
  input.attribution = &run.attribution;
  input.gantt = &run.gantt;
  input.title = run.title;
  input.theme = request.theme;
  input.pixel_ratio = request.pixel_ratio;
  input.text_width = text_width;
  const double height =
      request.height > 0 ? request.height : std::max(320.0, height_for(LaneLayout(run.gantt, {}).height()));
  input.geometry = frame_geometry(request.width, height);
  input.heights = fitting_heights(run.gantt, input.geometry.lanes_height);
  const auto length = static_cast<double>(run.gantt.length);
  input.axis = TimeAxis(length, input.geometry.plot_width);
  if (request.range) {
    input.axis.show(request.range->begin, request.range->end);
    input.window_note =
        fmt::format("shown: {} of {}", duration_text(input.axis.end() - input.axis.begin()), duration_text(length));
  } else {
    const TellingWindow window = telling_window(run.attribution.structure, run.gantt, request.steps);
    input.axis.show(static_cast<double>(window.time.begin), static_cast<double>(window.time.end));
    input.window_note = "shown: " + window.what;
  }
  const LaneLayout layout(run.gantt, input.heights);
  const auto below = std::count_if(layout.lanes().begin(), layout.lanes().end(), [&](const LaneBox& box) {
    return box.y + box.height > input.geometry.lanes_height;
  });
  if (below > 0) input.extra_note = fmt::format("{} lanes below the edge", below);
  return build_frame(input);
}

}  // namespace moescope::gui

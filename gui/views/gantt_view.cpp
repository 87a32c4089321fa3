// SPDX-License-Identifier: Apache-2.0
#include "gui/views/gantt_view.h"

#include "gui/core/svg_writer.h"
#include "gui/timeline/scene_painter.h"

namespace moescope::gui {

std::unique_ptr<View> create_gantt_view() {
  return std::make_unique<GanttView>();
}

QImage gantt_picture(const RunData& run, const PictureRequest& request) {
  return draw_frame(picture_frame(run, request, scene_text_width), run.gantt, request.pixel_ratio);
}

std::optional<std::string> gantt_svg(const RunData& run, const PictureRequest& request) {
  PictureRequest plain = request;
  plain.pixel_ratio = 1;
  return svg_of(picture_frame(run, plain, scene_text_width), run.gantt);
}

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// A run as one picture, without a widget: what --screenshot draws.

#include <optional>

#include "gui/core/gantt_frame.h"
#include "gui/core/time_text.h"
#include "gui/document/run_data.h"

namespace moescope::gui {

struct PictureRequest {
  double width = 1600;
  double height = 0;               // 0: as high as all lanes need
  std::optional<TimeRange> range;  // none: a telling window is chosen and named in the title
  Range steps;                     // for the choice of that window
  Theme theme = Theme::kDark;
  double pixel_ratio = 1;
};
Frame picture_frame(const RunData& run, const PictureRequest& request, const TextWidth& text_width);

}  // namespace moescope::gui

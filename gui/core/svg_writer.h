#pragma once
// SPDX-License-Identifier: Apache-2.0
// A frame as SVG text: the same shapes as on screen, bars as rectangles. Needs no window and no Qt.

#include <string>

#include "gui/core/gantt_frame.h"

namespace moescope::gui {

// The frame must have been built with pixel_ratio 1.
std::string svg_of(const Frame& frame, const Gantt& gantt);
// Text width without a font at hand: DejaVu Sans' mean advance, a little generous.
double estimated_text_width(std::string_view text, double size, bool bold);

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Draws a frame with QPainter, and the lanes into an image of device pixels. GUI thread only: it caches laid-out text.

#include <QFont>
#include <QImage>
#include <QPainter>

#include "gui/core/gantt_frame.h"

namespace moescope::gui {

QFont scene_font(double size, bool bold);
double scene_text_width(std::string_view text, double size, bool bold);
QColor scene_color(Color color);
void paint_scene(QPainter& painter, const Scene& scene);
// The whole frame; size and ratio come from the frame and how it was built.
QImage draw_frame(const Frame& frame, const Gantt& gantt, double pixel_ratio);

}  // namespace moescope::gui

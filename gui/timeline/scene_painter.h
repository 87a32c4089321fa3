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
// The whole frame, built for that ratio. An image of the right size that is no longer needed is drawn over: a fresh one
// costs a page fault every 4 KiB.
QImage draw_frame(const Frame& frame, const Gantt& gantt, double pixel_ratio, QImage reuse = {});

}  // namespace moescope::gui

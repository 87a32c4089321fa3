// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/scene_painter.h"

#include <QFontMetricsF>
#include <QHash>
#include <QPainterPath>
#include <QStaticText>
#include <cmath>
#include <utility>

#include "gui/core/row_raster.h"

namespace moescope::gui {
namespace {

constexpr int kMostCachedTexts = 8000;

QBrush hatch_brush(Color color) {
  // The same stripes as the rasteriser's, as a tile: 8 x 8 logical pixels.
  QImage tile(8, 8, QImage::Format_ARGB32_Premultiplied);
  tile.fill(Qt::transparent);
  QPainter painter(&tile);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(scene_color(with_alpha(color, 0.78)), 2.6));
  for (const int offset : {-8, 0, 8}) painter.drawLine(QPointF(offset - 2, 10), QPointF(offset + 10, -2));
  return QBrush(tile);
}

struct Painter {
  QPainter& painter;

  void operator()(const SceneRect& r) const {
    const QRectF rect(r.x, r.y, r.width, r.height);
    const bool stroked = (r.stroke >> 24) != 0;
    painter.setPen(stroked ? QPen(scene_color(r.stroke), 1) : QPen(Qt::NoPen));
    painter.setBrush(scene_color(r.fill));
    const auto draw = [&] {
      if (r.radius > 0)
        painter.drawRoundedRect(stroked ? rect.adjusted(0.5, 0.5, -0.5, -0.5) : rect, r.radius, r.radius);
      else
        painter.drawRect(rect);
    };
    draw();
    if (r.hatched) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(hatch_brush(r.hatch));
      draw();
    }
  }
  void operator()(const SceneLine& l) const {
    painter.setPen(QPen(scene_color(l.color), l.width, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(QPointF(l.x0, l.y0), QPointF(l.x1, l.y1));
  }
  void operator()(const SceneCurve& c) const {
    const double middle = (c.y0 + c.y1) / 2;
    QPainterPath path(QPointF(c.x0, c.y0));
    path.cubicTo(c.x0, middle, c.x1, middle, c.x1, c.y1);
    painter.setPen(QPen(scene_color(c.color), c.width));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
  }
  void operator()(const SceneText& t) const {
    if (t.text.empty()) return;
    // Laying out text costs more than drawing it.
    static QHash<QString, QStaticText> cache;
    const QFont font = scene_font(t.size, t.bold);
    const QString text = QString::fromStdString(t.text);
    const QString key = QString::number(t.size) + (t.bold ? QLatin1Char('b') : QLatin1Char('r')) + text;
    auto laid_out = cache.find(key);
    if (laid_out == cache.end()) {
      if (cache.size() > kMostCachedTexts) cache.clear();
      QStaticText fresh(text);
      fresh.setTextFormat(Qt::PlainText);
      fresh.setPerformanceHint(QStaticText::AggressiveCaching);
      fresh.prepare(QTransform(), font);
      laid_out = cache.insert(key, fresh);
    }
    const double width = t.anchor == Anchor::kLeft ? 0 : scene_text_width(t.text, t.size, t.bold);
    const double left = t.anchor == Anchor::kLeft ? t.x : t.anchor == Anchor::kRight ? t.x - width : t.x - width / 2;
    const double baseline = t.y + 0.36 * t.size;
    painter.setFont(font);
    painter.setPen(scene_color(t.color));
    painter.drawStaticText(QPointF(std::round(left), std::round(baseline - QFontMetricsF(font).ascent())), *laid_out);
  }
};

}  // namespace

QFont scene_font(double size, bool bold) {
  QFont font(QStringLiteral("DejaVu Sans"));
  font.setStyleHint(QFont::SansSerif);
  font.setPixelSize(static_cast<int>(std::lround(size)));
  font.setBold(bold);
  return font;
}

double scene_text_width(std::string_view text, double size, bool bold) {
  return QFontMetricsF(scene_font(size, bold))
      .horizontalAdvance(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
}

QColor scene_color(Color color) {
  return QColor::fromRgba(color);
}

void paint_scene(QPainter& painter, const Scene& scene) {
  for (const SceneItem& item : scene) std::visit(Painter{painter}, item);
}

QImage draw_frame(const Frame& frame, const Gantt& gantt, double pixel_ratio, QImage reuse) {
  const FrameGeometry& g = frame.geometry;
  const auto device = [pixel_ratio](double logical) { return static_cast<int>(std::lround(logical * pixel_ratio)); };
  const ThemeColors& colors = theme_colors(frame.theme);
  const QSize size(device(g.width), device(g.height));
  QImage image = reuse.size() == size ? std::move(reuse) : QImage(size, QImage::Format_RGB32);
  image.setDevicePixelRatio(pixel_ratio);
  image.fill(scene_color(colors.background));
  const QRectF window(0, g.lanes_y, g.width, g.lanes_height);
  {
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(window);
    paint_scene(painter, frame.below);
  }
  // Only the lanes' window: rows above and below it belong to the border.
  const int top = device(g.lanes_y), bottom = std::min(device(g.lanes_y + g.lanes_height), image.height());
  const auto stride = static_cast<std::size_t>(image.bytesPerLine()) / sizeof(Color);
  auto* const pixels = reinterpret_cast<std::uint32_t*>(image.bits());
  const PixelRows rows{pixels + static_cast<std::size_t>(top) * stride, stride, image.width(),
                       std::max(0, bottom - top)};
  for (const LaneBox& box : frame.layout.lanes()) {
    const Lane& lane = gantt.lanes[box.lane];
    const LaneItems& items = frame.items[box.lane];
    if (items.bars.empty() && items.folds.empty()) continue;
    LaneStyle style{stage_color(lane.role, frame.theme), colors.hatch, frame.theme, std::max(4, device(8))};
    const auto columns = columns_of(lane, items, static_cast<std::size_t>(device(g.plot_width)));
    raster_lane(columns, style, device(g.plot_x), device(frame.y_of(box)) - top, device(box.height), rows);
  }
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(window);
  paint_scene(painter, frame.above);
  painter.setClipping(false);
  paint_scene(painter, frame.border);
  return image;
}

}  // namespace moescope::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/gantt_canvas.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/core/telling_window.h"
#include "gui/timeline/scene_painter.h"

namespace moescope::gui {
namespace {

constexpr double kWheelNotch = 120;  // eighths of a degree, Qt's unit
constexpr double kZoomPerNotch = 1.25;
constexpr double kClickReachPx = 4;  // a press that moves less is a click

}  // namespace

GanttCanvas::GanttCanvas(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(420, 240);
  geometry_ = frame_geometry(width(), height());
}

void GanttCanvas::setRun(const RunPtr& run) {
  run_ = run;
  hover_.reset();
  selected_.reset();
  range_.reset();
  places_.clear();
  scroll_ = 0;
  heights_ = {};
  layout_ = run_ ? LaneLayout(run_->gantt, heights_) : LaneLayout();
  axis_ = TimeAxis(run_ ? static_cast<double>(run_->gantt.length) : 1, geometry_.plot_width);
  if (run_) {
    const TellingWindow window = telling_window(run_->attribution.structure, run_->gantt);
    axis_.show(static_cast<double>(window.time.begin), static_cast<double>(window.time.end));
  }
  emit rangeChanged({});
  viewHasChanged();
}

void GanttCanvas::setTheme(Theme theme) {
  theme_ = theme;
  stale_ = true;
  update();
}

const Frame& GanttCanvas::frame() {
  ensureFrame();
  return frame_;
}

void GanttCanvas::leavePlace(unsigned gesture) {
  places_.leave({axis_.begin(), axis_.end()}, gesture);
}

void GanttCanvas::viewHasChanged() {
  stale_ = true;
  hover_.reset();
  update();
  emit viewChanged();
}

void GanttCanvas::showRange(TimeRange range) {
  leavePlace();
  axis_.show(range.begin, range.end);
  viewHasChanged();
}

void GanttCanvas::showAll() {
  leavePlace();
  axis_.show_all();
  viewHasChanged();
}

void GanttCanvas::showTelling() {
  showSteps({});
}

void GanttCanvas::showSteps(const Range& steps) {
  if (!run_) return;
  const TellingWindow window = telling_window(run_->attribution.structure, run_->gantt, steps);
  showRange({static_cast<double>(window.time.begin), static_cast<double>(window.time.end)});
}

void GanttCanvas::zoom(double factor) {
  leavePlace(gesture_ + 1);
  const double x = plotPixel(mapFromGlobal(QCursor::pos()).x());
  const bool inside = underMouse() && x >= 0 && x <= axis_.width();
  axis_.zoom_about(inside ? x : axis_.width() / 2, factor);
  viewHasChanged();
}

void GanttCanvas::pan(double widths) {
  leavePlace(gesture_ + 1);
  axis_.pan(widths * axis_.width());
  viewHasChanged();
}

void GanttCanvas::back() {
  const auto place = places_.back();
  if (!place) return;
  axis_.show(place->begin, place->end);
  viewHasChanged();
}

void GanttCanvas::zoomToSelection() {
  if (range_)
    showRange(*range_);
  else if (selected_) {
    const LaneGroup& group = run_->gantt.groups[run_->gantt.lanes[selected_->lane].group];
    const Interval time = run_->trace.spans.interval(selected_->row);
    const double room = 0.5 * static_cast<double>(time.length());
    showRange({static_cast<double>(time.begin - group.zero) - room, static_cast<double>(time.end - group.zero) + room});
  }
}

void GanttCanvas::clearSelection() {
  range_.reset();
  selected_.reset();
  emit rangeChanged({});
  update();
}

void GanttCanvas::changeBarHeight(double pixels) {
  heights_.bar = std::clamp(heights_.bar + pixels, 6.0, 60.0);
  heights_.lane_gap = std::round(heights_.bar / 4);
  if (run_) layout_ = LaneLayout(run_->gantt, heights_);
  scrollTo(scroll_);
  viewHasChanged();
}

void GanttCanvas::scrollTo(double y) {
  const double last = std::max(0.0, layout_.height() - geometry_.lanes_height);
  scroll_ = std::clamp(y, 0.0, last);
}

void GanttCanvas::selectRange(double begin, double end) {
  if (begin > end) std::swap(begin, end);
  range_ = TimeRange{begin, end};
  const RangeFigures figures = range_figures(run_->gantt, begin, end);
  QString text = QStringLiteral("Δt %1   busy %2 (%3)   exposed %4")
                     .arg(QString::fromStdString(duration_text(figures.length)),
                          QString::fromStdString(duration_text(figures.busy)),
                          QString::fromStdString(percent_text(figures.length > 0 ? figures.busy / figures.length : 0)),
                          QString::fromStdString(duration_text(figures.exposed)));
  if (figures.hidden_fraction)
    text += QStringLiteral("   hidden %1").arg(QString::fromStdString(percent_text(*figures.hidden_fraction)));
  emit rangeChanged(text);
  update();
}

std::optional<Hit> GanttCanvas::hitAt(QPointF position) const {
  if (!run_ || position.y() < geometry_.lanes_y || position.y() > geometry_.lanes_y + geometry_.lanes_height)
    return std::nullopt;
  return hit_test(run_->gantt, layout_, axis_, plotPixel(position.x()), position.y() - geometry_.lanes_y + scroll_);
}

void GanttCanvas::resizeEvent(QResizeEvent*) {
  geometry_ = frame_geometry(width(), height());
  axis_.set_width(geometry_.plot_width);
  scrollTo(scroll_);
  viewHasChanged();
}

void GanttCanvas::wheelEvent(QWheelEvent* event) {
  event->accept();
  const QPoint angle = event->angleDelta();
  const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / kWheelNotch;
  const Qt::KeyboardModifiers keys = event->modifiers();
  if ((keys & Qt::ControlModifier) && (keys & Qt::ShiftModifier)) {
    changeBarHeight(2 * notches);
  } else if (keys & Qt::ControlModifier) {
    leavePlace(gesture_ + 1);
    axis_.zoom_about(std::clamp(plotPixel(event->position().x()), 0.0, axis_.width()),
                     std::pow(kZoomPerNotch, notches));
    viewHasChanged();
  } else if ((keys & Qt::ShiftModifier) || angle.y() == 0) {
    leavePlace(gesture_ + 1);
    axis_.pan(-notches * 0.1 * axis_.width());
    viewHasChanged();
  } else {
    scrollTo(scroll_ - notches * 3 * (heights_.bar + heights_.lane_gap));
    viewHasChanged();
  }
}

void GanttCanvas::mousePressEvent(QMouseEvent* event) {
  if (!run_) return;
  ++gesture_;
  press_ = last_ = event->position();
  const double x = plotPixel(press_.x());
  if (event->button() == Qt::MiddleButton)
    drag_ = Drag::kPan, leavePlace();
  else if (event->button() == Qt::LeftButton && x >= 0 && x <= axis_.width())
    drag_ = Drag::kRange;
}

void GanttCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  if (drag_ == Drag::kPan) {
    axis_.pan(last_.x() - at.x());
    scrollTo(scroll_ + last_.y() - at.y());
    last_ = at;
    viewHasChanged();
  } else if (drag_ == Drag::kRange) {
    if (std::abs(at.x() - press_.x()) < kClickReachPx && !range_) return;
    const auto time = [this](double x) { return axis_.time_of(std::clamp(plotPixel(x), 0.0, axis_.width())); };
    selectRange(time(press_.x()), time(at.x()));
  } else if (const auto hit = hitAt(at); hit != hover_) {
    hover_ = hit;
    update();
  }
}

void GanttCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const bool click = drag_ == Drag::kRange && std::abs(event->position().x() - press_.x()) < kClickReachPx;
  drag_ = Drag::kNone;
  if (!click) return;
  clearSelection();
  selected_ = hitAt(event->position());
}

void GanttCanvas::leaveEvent(QEvent*) {
  hover_.reset();
  update();
}

bool GanttCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* const help = static_cast<QHelpEvent*>(event);
    if (const auto hit = hitAt(help->pos()))
      QToolTip::showText(help->globalPos(), tooltipFor(*hit), this);
    else
      QToolTip::hideText();
    return true;
  }
  if (event->type() == QEvent::KeyRelease) ++gesture_;  // held keys are one gesture
  return QWidget::event(event);
}

QString GanttCanvas::tooltipFor(const Hit& hit) const {
  QString rows;
  for (const Fact& fact : span_facts(run_->trace, run_->attribution, run_->gantt, hit.lane, hit.row))
    rows += QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
                .arg(QString::fromStdString(fact.what), QString::fromStdString(fact.value).toHtmlEscaped());
  return QStringLiteral("<table>%1</table>").arg(rows);
}

void GanttCanvas::ensureFrame() {
  const double ratio = devicePixelRatioF();
  if (!stale_ && image_.devicePixelRatio() == ratio) return;
  static const Trace kNoTrace;
  static const Attribution kNoAttribution;
  static const Gantt kNoGantt;
  FrameInput input;
  input.trace = run_ ? &run_->trace : &kNoTrace;
  input.attribution = run_ ? &run_->attribution : &kNoAttribution;
  input.gantt = run_ ? &run_->gantt : &kNoGantt;
  if (run_) input.title = run_->title;
  if (run_ && !axis_.shows_all())
    input.window_note = "shown: " + duration_text(axis_.end() - axis_.begin()) + " of " + duration_text(axis_.length());
  input.axis = axis_;
  input.heights = heights_;
  input.geometry = geometry_;
  input.scroll = scroll_;
  input.pixel_ratio = ratio;
  input.theme = theme_;
  input.text_width = scene_text_width;
  frame_ = build_frame(input);
  image_ = draw_frame(frame_, *input.gantt, ratio, std::move(image_));
  stale_ = false;
}

void GanttCanvas::paintEvent(QPaintEvent*) {
  ensureFrame();
  QPainter painter(this);
  painter.drawImage(QPointF(0, 0), image_);
  paintOverlay(painter);
}

void GanttCanvas::outline(QPainter& painter, const Hit& hit, const QColor& color, double width) {
  const LaneGroup& group = run_->gantt.groups[run_->gantt.lanes[hit.lane].group];
  const Interval time = run_->trace.spans.interval(hit.row);
  const double x0 = std::max(axis_.pixel_of(static_cast<double>(time.begin - group.zero)), -4.0);
  const double x1 = std::min(axis_.pixel_of(static_cast<double>(time.end - group.zero)), axis_.width() + 4);
  const LaneBox& box = layout_.lanes()[hit.lane];
  painter.setPen(QPen(color, width));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(
      QRectF(geometry_.plot_x + x0, geometry_.lanes_y + box.y - scroll_, std::max(x1 - x0, 2.0), box.height)
          .adjusted(-1, -1, 1, 1),
      2, 2);
}

void GanttCanvas::paintOverlay(QPainter& painter) {
  if (!run_) return;
  const ThemeColors& colors = theme_colors(theme_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(
      QRectF(geometry_.plot_x - 2, geometry_.lanes_y, geometry_.plot_width + 4, geometry_.lanes_height));
  if (range_) {
    const double x0 = axis_.pixel_of(range_->begin), x1 = axis_.pixel_of(range_->end);
    const QRectF rect(geometry_.plot_x + x0, geometry_.lanes_y, x1 - x0, geometry_.lanes_height);
    painter.fillRect(rect, scene_color(with_alpha(colors.selection, 0.16)));
    painter.setPen(QPen(scene_color(colors.selection), 1));
    painter.drawLine(rect.topLeft(), rect.bottomLeft());
    painter.drawLine(rect.topRight(), rect.bottomRight());
  }
  if (selected_) outline(painter, *selected_, scene_color(colors.selection), 2);
  if (hover_ && drag_ == Drag::kNone) outline(painter, *hover_, scene_color(colors.outline), 1.5);
}

}  // namespace moescope::gui

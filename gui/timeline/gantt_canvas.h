#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Gantt as a widget. A frame is computed when what is in view changes and kept as an image; hovering and dragging
// only draw over it. GUI thread; no locks: the run is immutable.

#include <QImage>
#include <QPointF>
#include <QWidget>
#include <optional>

#include "gui/core/gantt_frame.h"
#include "gui/core/hit_test.h"
#include "gui/core/navigation_stack.h"
#include "gui/core/span_text.h"
#include "gui/core/time_text.h"
#include "gui/document/run_data.h"

namespace moescope::gui {

class GanttCanvas : public QWidget {
  Q_OBJECT
 public:
  explicit GanttCanvas(QWidget* parent = nullptr);

  void setRun(const RunPtr& run);
  void setTheme(Theme theme);
  const TimeAxis& axis() const { return axis_; }
  double plotX() const { return geometry_.plot_x; }
  double scroll() const { return scroll_; }
  // The last frame drawn; for tests and for saving.
  const Frame& frame();
  std::optional<TimeRange> selectedRange() const { return range_; }
  std::optional<Hit> selectedSpan() const { return selected_; }

  void showRange(TimeRange range);  // remembers where one was
  void showAll();
  void showTelling();
  void showSteps(const Range& steps);
  void zoom(double factor);  // about the mouse, or the middle
  void pan(double widths);   // of the plot
  void back();
  void zoomToSelection();
  void clearSelection();
  void changeBarHeight(double pixels);
  QSize sizeHint() const override { return {1200, 700}; }

 signals:
  void viewChanged();
  void rangeChanged(const QString& readout);  // empty: nothing is selected

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  enum class Drag { kNone, kPan, kRange };
  void leavePlace(unsigned gesture = 0);
  void viewHasChanged();
  void scrollTo(double y);
  void selectRange(double begin, double end);
  double plotPixel(double widget_x) const { return widget_x - geometry_.plot_x; }
  std::optional<Hit> hitAt(QPointF position) const;
  QString tooltipFor(const Hit& hit) const;
  void ensureFrame();
  void paintOverlay(QPainter& painter);
  void outline(QPainter& painter, const Hit& hit, const QColor& color, double width);

  RunPtr run_;
  Theme theme_ = Theme::kDark;
  TimeAxis axis_;
  LaneHeights heights_;
  FrameGeometry geometry_;
  LaneLayout layout_;
  double scroll_ = 0;
  NavigationStack places_;
  unsigned gesture_ = 0;

  Frame frame_;
  QImage image_;
  bool stale_ = true;

  Drag drag_ = Drag::kNone;
  QPointF press_, last_;
  std::optional<TimeRange> range_;
  std::optional<Hit> hover_, selected_;
};

}  // namespace moescope::gui

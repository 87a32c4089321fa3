// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/gantt_canvas.h"

#include <QApplication>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest/QTest>
#include <cmath>

#include "gui/core/row_raster.h"
#include "gui/timeline/scene_painter.h"
#include "tests/gui/qt_application.h"
#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

RunPtr run_of(test::Sample sample) {
  return make_run({"run"}, std::move(sample.trace), std::move(sample.attribution), {});
}

struct Window {
  GanttCanvas canvas;
  Window(const RunPtr& run, int width = 1200, int height = 420) {
    test::qt_application();
    canvas.resize(width, height);
    canvas.show();
    canvas.setRun(run);
    canvas.showAll();
    QTest::qWait(1);
  }
  void wheel(QPointF at, int notches, Qt::KeyboardModifiers keys) {
    QWheelEvent event(at, canvas.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, keys, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&canvas, &event);
  }
  double time_at(double x) { return canvas.axis().time_of(x - canvas.plotX()); }
  QPoint point_at(double ns, std::size_t lane) {
    const Frame& frame = canvas.frame();
    const LaneBox& box = frame.layout.lanes()[lane];
    return {static_cast<int>(canvas.plotX() + canvas.axis().pixel_of(ns)),
            static_cast<int>(frame.y_of(box) + box.height / 2)};
  }
};

}  // namespace

TEST_CASE("Ctrl+wheel keeps the time under the mouse, in and out") {
  test::qt_application();
  Window window(run_of(test::sample_run({})));
  for (const double x : {300.0, 700.0, 1100.0}) {
    const double before = window.time_at(x);
    window.wheel({x, 200}, 5, Qt::ControlModifier);
    CHECK(std::abs(window.time_at(x) - before) < 1e-6 * window.canvas.axis().length());
    window.wheel({x, 200}, -2, Qt::ControlModifier);
    CHECK(std::abs(window.time_at(x) - before) < 1e-6 * window.canvas.axis().length());
  }
}

TEST_CASE("the plain wheel scrolls lanes, Shift+wheel moves in time, Ctrl+Shift+wheel changes heights") {
  test::qt_application();
  Window window(run_of(test::sample_run({})));
  window.canvas.showRange({3e6, 6e6});
  const double begin = window.canvas.axis().begin();
  window.wheel({600, 200}, -1, Qt::NoModifier);
  CHECK(window.canvas.scroll() > 0);
  CHECK(window.canvas.axis().begin() == begin);
  window.wheel({600, 200}, 100, Qt::NoModifier);
  CHECK(window.canvas.scroll() == 0);
  window.wheel({600, 200}, -1, Qt::ShiftModifier);
  CHECK(window.canvas.axis().begin() > begin);
  CHECK(window.canvas.axis().end() - window.canvas.axis().begin() == Approx(3e6));
  const double bar = window.canvas.frame().layout.heights().bar;
  window.wheel({600, 200}, 2, Qt::ControlModifier | Qt::ShiftModifier);
  CHECK(window.canvas.frame().layout.heights().bar == bar + 4);
}

TEST_CASE("the middle button drags the time along") {
  test::qt_application();
  Window window(run_of(test::sample_run({})));
  window.canvas.showRange({5e6, 6e6});
  const double under = window.time_at(600);
  QTest::mousePress(&window.canvas, Qt::MiddleButton, {}, {600, 200});
  QTest::mouseMove(&window.canvas, {500, 200});
  QTest::mouseRelease(&window.canvas, Qt::MiddleButton, {}, {500, 200});
  CHECK(window.time_at(500) == Approx(under));
}

TEST_CASE("dragging measures a range, live, and a click clears it") {
  test::qt_application();
  Window window(run_of(test::sample_of({{0, 100'000, Stage::kDISPATCH}, {100'000, 400'000, Stage::kL1}})));
  QSignalSpy readout(&window.canvas, &GanttCanvas::rangeChanged);
  const QPoint from = window.point_at(0, 0), to = window.point_at(200'000, 0);
  QTest::mousePress(&window.canvas, Qt::LeftButton, {}, from);
  QTest::mouseMove(&window.canvas, to);
  REQUIRE(readout.size() == 1);
  CHECK(readout[0][0].toString().contains("busy"));
  QTest::mouseRelease(&window.canvas, Qt::LeftButton, {}, to);
  REQUIRE(window.canvas.selectedRange());
  CHECK(window.canvas.selectedRange()->begin == Approx(window.time_at(from.x())));
  CHECK(window.canvas.selectedRange()->end == Approx(window.time_at(to.x())));
  window.canvas.zoomToSelection();
  CHECK(window.canvas.axis().end() == Approx(window.canvas.selectedRange()->end));
  QTest::mouseClick(&window.canvas, Qt::LeftButton, {}, {900, 110});
  CHECK_FALSE(window.canvas.selectedRange());
  CHECK(readout.last()[0].toString().isEmpty());
}

TEST_CASE("a click selects the span under it, and F's action goes there") {
  test::qt_application();
  Window window(run_of(test::sample_of({{0, 1'000'000, Stage::kDISPATCH}, {400'000, 440'000, Stage::kL1}})));
  QTest::mouseClick(&window.canvas, Qt::LeftButton, {}, window.point_at(420'000, 1));
  REQUIRE(window.canvas.selectedSpan());
  CHECK(window.canvas.selectedSpan()->lane == 1);
  window.canvas.zoomToSelection();
  CHECK(window.canvas.axis().end() == Approx(460'000));
  window.canvas.clearSelection();
  CHECK_FALSE(window.canvas.selectedSpan());
}

TEST_CASE("back returns through jumps, a wheel gesture being one") {
  test::qt_application();
  Window window(run_of(test::sample_run({})));
  const double whole = window.canvas.axis().end();
  window.canvas.showRange({1e6, 2e6});
  for (int i = 0; i < 5; ++i) window.wheel({600, 200}, 1, Qt::ControlModifier);
  window.canvas.back();
  CHECK(window.canvas.axis().begin() == Approx(1e6));
  window.canvas.back();
  CHECK(window.canvas.axis().end() == Approx(whole));
}

TEST_CASE("two grabs are the same picture, bit by bit") {
  test::qt_application();
  Window window(run_of(test::sample_run({})));
  window.canvas.showTelling();
  const QImage first = window.canvas.grab().toImage(), second = window.canvas.grab().toImage();
  CHECK(first == second);
  Window again(run_of(test::sample_run({})));
  again.canvas.showTelling();
  CHECK(again.canvas.grab().toImage() == first);
}

TEST_CASE("bars have their stage's and wave's colour where they should be") {
  test::qt_application();
  Window window(run_of(test::sample_of({{0, 100'000, Stage::kDISPATCH, 0},
                                        {100'000, 300'000, Stage::kDISPATCH, 1},
                                        {100'000, 400'000, Stage::kL1, 0},
                                        {500'000, 900'000, Stage::kCOMBINE, 0}})));
  const QImage image = window.canvas.grab().toImage();
  const auto color = [&](double ns, std::size_t lane) {
    const QPoint at = window.point_at(ns, lane);
    return image.pixel(at.x(), at.y());
  };
  const auto dispatch = stage_color(Stage::kDISPATCH, Theme::kDark);
  CHECK(color(280'000, 0) == wave_color(dispatch, 1, Theme::kDark));
  CHECK(color(380'000, 1) == stage_color(Stage::kL1, Theme::kDark));
  CHECK(color(450'000, 0) == theme_colors(Theme::kDark).lane);
  // Combine runs alone: hatched, so both its own colour and stripes are found along it.
  int own = 0, striped = 0;
  for (double ns = 700'000; ns < 880'000; ns += 1'000)
    (color(ns, 2) == stage_color(Stage::kCOMBINE, Theme::kDark) ? own : striped)++;
  CHECK(own > 20);
  CHECK(striped > 20);
}

TEST_CASE("on a sharp screen the same picture has more pixels, not other colours") {
  test::qt_application();
  const auto run = run_of(test::sample_of({{0, 400'000, Stage::kL1, 0}, {600'000, 900'000, Stage::kL1, 1}}));
  FrameInput input;
  input.trace = &run->trace;
  input.attribution = &run->attribution;
  input.gantt = &run->gantt;
  input.geometry = frame_geometry(800, 300);
  input.axis = TimeAxis(static_cast<double>(run->gantt.length), input.geometry.plot_width);
  input.text_width = scene_text_width;
  input.pixel_ratio = 2;
  const Frame frame = build_frame(input);
  const QImage image = draw_frame(frame, run->gantt, 2);
  CHECK(image.size() == QSize(1600, 600));
  const LaneBox& box = frame.layout.lanes()[0];
  const auto at = [&](double ns) {
    return image.pixel(static_cast<int>(2 * (input.geometry.plot_x + input.axis.pixel_of(ns))),
                       static_cast<int>(2 * (frame.y_of(box) + box.height / 2)));
  };
  CHECK(at(300'000) == stage_color(Stage::kL1, Theme::kDark));
  CHECK(at(500'000) == theme_colors(Theme::kDark).lane);
  CHECK(at(800'000) == wave_color(stage_color(Stage::kL1, Theme::kDark), 1, Theme::kDark));
}

TEST_CASE("an empty canvas, a run without work and a tiny window draw without complaint") {
  test::qt_application();
  GanttCanvas canvas;
  canvas.resize(500, 300);
  CHECK_FALSE(canvas.grab().isNull());
  canvas.setRun(make_run({"nothing"}, Trace{}, Attribution{}, {}));
  CHECK_FALSE(canvas.grab().isNull());
  canvas.setRun(run_of(test::sample_run({})));
  canvas.resize(420, 240);
  CHECK_FALSE(canvas.grab().isNull());
  canvas.setTheme(Theme::kLight);
  CHECK_FALSE(canvas.grab().isNull());
}

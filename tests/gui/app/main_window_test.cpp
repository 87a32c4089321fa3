// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>
#include <QtTest/QTest>
#include <set>
#include <stdexcept>

#include "gui/app/commands.h"
#include "tests/gui/qt_application.h"
#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

RunPtr load_sample(const LoadRequest& request, const LoadProgress&) {
  if (request.paths.front() == "bad") throw std::runtime_error("bad: not a run file; record one with moescope record");
  test::Sample sample = test::sample_run({});
  return make_run(request.paths, std::move(sample.trace), std::move(sample.attribution), request.gantt);
}

struct Opened {
  MainWindow window{load_sample, {}, Theme::kDark};
  Opened() {
    window.show();
    open("good");
    window.activateWindow();
    window.canvas().setFocus();
  }
  void open(const std::string& path) {
    QSignalSpy loaded(&window.document(), &TraceDocument::loaded), failed(&window.document(), &TraceDocument::failed);
    window.open({path});
    for (int i = 0; i < 1000 && loaded.isEmpty() && failed.isEmpty(); ++i) QTest::qWait(5);
  }
  void key(Qt::Key which, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&window.canvas(), which, modifiers);
    QTest::qWait(1);
  }
  double visible() { return window.canvas().axis().end() - window.canvas().axis().begin(); }
};

}  // namespace

TEST_CASE("W looks closer, D goes later, A earlier, S back, 0 shows all, Backspace where one was") {
  test::qt_application();
  Opened opened;
  opened.key(Qt::Key_0);
  CHECK(opened.window.canvas().axis().shows_all());
  const double whole = opened.visible();
  opened.key(Qt::Key_W);
  opened.key(Qt::Key_W);
  CHECK(opened.visible() == Approx(whole / 2.25));
  const double begin = opened.window.canvas().axis().begin();
  opened.key(Qt::Key_D);
  CHECK(opened.window.canvas().axis().begin() == Approx(begin + 0.2 * whole / 2.25));
  opened.key(Qt::Key_A);
  CHECK(opened.window.canvas().axis().begin() == Approx(begin));
  opened.key(Qt::Key_S);
  CHECK(opened.visible() == Approx(whole / 1.5));
  opened.key(Qt::Key_Backspace);
  CHECK(opened.visible() == Approx(whole / 2.25));
}

TEST_CASE("? shows the help with every key of the table, Esc hides it") {
  test::qt_application();
  Opened opened;
  opened.key(Qt::Key_Question);
  REQUIRE(opened.window.help()->isVisible());
  const QString page = qobject_cast<QLabel*>(opened.window.help())->text();
  for (const Command& command : commands()) {
    if (command.keys.empty()) continue;
    INFO(command.title);
    CHECK(page.contains(
        QString::fromUtf8(command.title.data(), static_cast<qsizetype>(command.title.size())).toHtmlEscaped()));
  }
  opened.key(Qt::Key_Escape);
  CHECK_FALSE(opened.window.help()->isVisible());
}

TEST_CASE("each key belongs to one command, and every command that runs is in a menu") {
  std::set<std::string> keys;
  std::size_t runnable = 0;
  for (const Command& command : commands()) {
    if (command.run == nullptr) continue;
    ++runnable;
    CHECK_FALSE(command.menu.empty());
    for (const QString& key : QString::fromUtf8(command.keys.data(), static_cast<qsizetype>(command.keys.size()))
                                  .split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
      INFO(key.toStdString());
      CHECK(keys.insert(key.toStdString()).second);
      CHECK_FALSE(QKeySequence(key).isEmpty());
    }
  }
  test::qt_application();
  Opened opened;
  std::size_t in_menus = 0;
  for (const QAction* menu : opened.window.menuBar()->actions())
    if (menu->text() != "Views")
      in_menus += static_cast<std::size_t>(qobject_cast<QMenu*>(menu->menu())->actions().size());
  CHECK(in_menus == runnable);
}

TEST_CASE("a file that can't be read gives a banner; the run that was open stays, and so does the window") {
  test::qt_application();
  Opened opened;
  opened.open("bad");
  REQUIRE(opened.window.banner()->isVisible());
  CHECK(qobject_cast<QLabel*>(opened.window.banner())->text() ==
        "bad: not a run file; record one with moescope record");
  CHECK(opened.window.isVisible());
  CHECK(opened.window.document().run()->title.name == "good");
  opened.key(Qt::Key_0);
  CHECK(opened.window.canvas().axis().shows_all());
  opened.key(Qt::Key_Escape);
  CHECK_FALSE(opened.window.banner()->isVisible());
  opened.open("bad");
  opened.open("better");
  CHECK_FALSE(opened.window.banner()->isVisible());
  CHECK(opened.window.windowTitle() == QString::fromUtf8("better — moescope"));
}

TEST_CASE("the light theme is another picture of the same thing") {
  test::qt_application();
  Opened opened;
  const QImage dark = opened.window.canvas().grab().toImage();
  opened.window.toggleTheme();
  const QImage light = opened.window.canvas().grab().toImage();
  CHECK(light.pixel(3, 3) == theme_colors(Theme::kLight).background);
  CHECK(dark.pixel(3, 3) == theme_colors(Theme::kDark).background);
  opened.window.toggleTheme();
}

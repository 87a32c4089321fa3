// SPDX-License-Identifier: Apache-2.0
// moescope-gui: a window on a run, or one picture of it.
#include <QApplication>
#include <cstdio>
#include <cstdlib>

#include "gui/app/main_window.h"
#include "gui/app/options.h"
#include "gui/app/screenshot.h"
#include "gui/app/theme.h"
#include "gui/core/time_text.h"
#include "gui/document/run_loader.h"

namespace {

using namespace moescope::gui;

bool has_display() {
  const char* const x = std::getenv("DISPLAY");
  const char* const wayland = std::getenv("WAYLAND_DISPLAY");
  return (x != nullptr && *x != '\0') || (wayland != nullptr && *wayland != '\0');
}

// A picture is drawn without a session: that Qt misses its runtime directory is no news. Only its warnings go.
void keep_quiet(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type == QtCriticalMsg || type == QtFatalMsg) std::fprintf(stderr, "moescope-gui: %s\n", qPrintable(text));
}

int show_window(QApplication& application, const Options& options) {
  GanttOptions gantt;
  gantt.ranks = options.ranks;
  MainWindow window(file_loader(options.salvage), gantt, options.theme);
  if (!options.size.empty()) window.resize(static_cast<int>(options.width), static_cast<int>(options.height));
  window.showView(options.view);
  QObject::connect(&window.document(), &TraceDocument::loaded, &window, [&window, &options] {
    if (const auto range = parse_time_range(options.range, window.canvas().axis().length()))
      window.canvas().showRange(*range);
    else if (!options.steps.all())
      window.canvas().showSteps(options.steps);
  });
  window.show();
  if (!options.runs.empty()) window.open(options.runs);
  return application.exec();
}

}  // namespace

int main(int argc, char** argv) {
  const ParsedOptions parsed = parse_options(argc, argv);
  if (!parsed.options) return parsed.exit_code;
  const Options& options = *parsed.options;
  const bool picture = !options.screenshot.empty();
  if (std::getenv("QT_QPA_PLATFORM") == nullptr && (picture || !has_display())) {
    if (!picture) {
      std::fprintf(stderr,
                   "moescope-gui: no display: set DISPLAY or WAYLAND_DISPLAY, or draw with --screenshot FILE.png\n");
      return 2;
    }
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
  }
  if (picture) setenv("QT_SCALE_FACTOR", "1", 1);  // --scale says it
  if (picture) qInstallMessageHandler(keep_quiet);
  int qt_argc = 1;  // the command line is ours
  QApplication application(qt_argc, argv);
  apply_theme(options.theme);
  return picture ? take_screenshot(options, file_loader(options.salvage)) : show_window(application, options);
}

// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/qt_application.h"

#include <QApplication>

#include "gui/app/theme.h"

// What fontconfig.supp says, for the test programs themselves; read by LeakSanitizer, where it is built in.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}

namespace moescope::gui::test {

QApplication& qt_application() {
  static int argc = 1;
  static char name[] = "test";
  static char* argv[] = {name, nullptr};
  static QApplication* const application = [] {
    auto* const made = new QApplication(argc, argv);
    apply_theme(Theme::kDark);
    return made;
  }();
  return *application;
}

}  // namespace moescope::gui::test

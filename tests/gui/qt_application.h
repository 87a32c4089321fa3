#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one QApplication of a test program, made when the first case needs it (tests/support/main.cpp has chosen the
// platform) and never destroyed: Qt's own statics go in an order of their own.

class QApplication;

namespace moescope::gui::test {

QApplication& qt_application();

}  // namespace moescope::gui::test

// SPDX-License-Identifier: Apache-2.0
#include "gui/app/banner.h"

namespace moescope::gui {

Banner::Banner(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setWordWrap(true);
  setMargin(10);
  setStyleSheet(QStringLiteral("background: #a3341c; color: white;"));
  hide();
}

void Banner::say(const QString& text) {
  setText(text);
  show();
}

void Banner::mousePressEvent(QMouseEvent*) {
  hide();
}

}  // namespace moescope::gui

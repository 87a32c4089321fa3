#pragma once
// SPDX-License-Identifier: Apache-2.0
// One line across the top of the window when something went wrong. The window keeps running; Esc or a click removes it.

#include <QLabel>

namespace moescope::gui {

class Banner : public QLabel {
 public:
  explicit Banner(QWidget* parent = nullptr);
  void say(const QString& text);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
};

}  // namespace moescope::gui

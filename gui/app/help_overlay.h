#pragma once
// SPDX-License-Identifier: Apache-2.0
// All keys and gestures over the picture, from the table of commands.

#include <QLabel>

namespace moescope::gui {

class HelpOverlay : public QLabel {
 public:
  explicit HelpOverlay(QWidget* parent);
  void toggle();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  void place();
};

}  // namespace moescope::gui

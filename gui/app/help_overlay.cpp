// SPDX-License-Identifier: Apache-2.0
#include "gui/app/help_overlay.h"

#include <QEvent>

#include "gui/app/commands.h"
#include "gui/views/views.h"

namespace moescope::gui {
namespace {

QString text(std::string_view view) {
  return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())).toHtmlEscaped();
}

QString page() {
  QString rows;
  for (const Command& command : commands()) {
    if (command.keys.empty()) continue;
    QString keys = text(command.keys);
    if (command.run != nullptr) keys.replace(QLatin1Char(' '), QStringLiteral("&nbsp;&nbsp;"));
    rows +=
        QStringLiteral(
            "<tr><td style='padding-right:18px'><b>%1</b></td><td style='padding-right:18px'>%2</td><td>%3</td></tr>")
            .arg(keys, text(command.title), text(command.help));
  }
  QString views;
  for (const ViewKind& kind : view_kinds())
    views += QStringLiteral("<tr><td style='padding-right:18px'><b>%1</b></td><td>%2</td></tr>")
                 .arg(text(kind.title), text(kind.help));
  return QStringLiteral("<h3>Keys and gestures</h3><table>%1</table><h3>Views</h3><table>%2</table>").arg(rows, views);
}

}  // namespace

HelpOverlay::HelpOverlay(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::RichText);
  setText(page());
  setAutoFillBackground(true);
  setFrameStyle(QFrame::StyledPanel | QFrame::Plain);
  setMargin(18);
  hide();
  parent->installEventFilter(this);
}

void HelpOverlay::toggle() {
  setVisible(!isVisible());
  place();
  raise();
}

void HelpOverlay::place() {
  adjustSize();
  move((parentWidget()->width() - width()) / 2, std::max(0, (parentWidget()->height() - height()) / 2));
}

bool HelpOverlay::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parent() && event->type() == QEvent::Resize && isVisible()) place();
  return QLabel::eventFilter(watched, event);
}

void HelpOverlay::mousePressEvent(QMouseEvent*) {
  hide();
}

}  // namespace moescope::gui

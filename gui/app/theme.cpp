// SPDX-License-Identifier: Apache-2.0
#include "gui/app/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>
#include <QToolTip>

#include "gui/timeline/scene_painter.h"

namespace moescope::gui {

void apply_theme(Theme theme) {
  const ThemeColors& colors = theme_colors(theme);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QPalette palette;
  palette.setColor(QPalette::Window, scene_color(colors.panel));
  palette.setColor(QPalette::Base, scene_color(colors.background));
  palette.setColor(QPalette::AlternateBase, scene_color(colors.lane));
  palette.setColor(QPalette::Button, scene_color(colors.lane));
  palette.setColor(QPalette::ToolTipBase, scene_color(colors.lane));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
    palette.setColor(role, scene_color(colors.text));
  palette.setColor(QPalette::PlaceholderText, scene_color(colors.dim_text));
  palette.setColor(QPalette::Highlight, scene_color(colors.selection));
  palette.setColor(QPalette::HighlightedText, scene_color(text_on(colors.selection)));
  palette.setColor(QPalette::Mid, scene_color(colors.grid));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, scene_color(colors.dim_text));
  QApplication::setPalette(palette);
  QToolTip::setPalette(palette);
}

}  // namespace moescope::gui

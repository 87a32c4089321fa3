#pragma once
// SPDX-License-Identifier: Apache-2.0
// THE table of what the user can do: menu, shortcut and the ? overlay come from a row of commands.cpp. Mouse gestures
// stand in it too, for the help.

#include <span>
#include <string_view>

namespace moescope::gui {

class MainWindow;

struct Command {
  std::string_view menu;  // "" : not in a menu
  std::string_view title;
  std::string_view keys;  // QKeySequence texts separated by blanks; for a gesture, what to do with the mouse
  std::string_view help;
  void (*run)(MainWindow& window);  // nullptr: a gesture, done by the view itself
};
std::span<const Command> commands();

}  // namespace moescope::gui

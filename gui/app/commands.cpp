// SPDX-License-Identifier: Apache-2.0
#include "gui/app/commands.h"

#include "gui/app/main_window.h"

namespace moescope::gui {
namespace {

constexpr double kKeyZoom = 1.5, kKeyPan = 0.2;

// clang-format off
constexpr Command kCommands[] = {
    {"File", "Open run file…",      "Ctrl+O",       "open a run file, or a trace that can be imported", [](MainWindow& w) { w.askForFile(); }},
    {"File", "Open run directory…", "Ctrl+Shift+O", "open a directory of run files",                    [](MainWindow& w) { w.askForDirectory(); }},
    {"File", "Save picture…",       "Ctrl+S",       "save what is in view as PNG",                      [](MainWindow& w) { w.askForPicture(); }},
    {"File", "Stop loading",        "",             "give up on the file that is being read",           [](MainWindow& w) { w.document().cancel(); }},
    {"File", "Quit",                "Ctrl+Q",       "close the window",                                 [](MainWindow& w) { w.close(); }},
    {"View", "Zoom in",             "W +",          "look closer, at the mouse",                        [](MainWindow& w) { w.canvas().zoom(kKeyZoom); }},
    {"View", "Zoom out",            "S -",          "step back",                                        [](MainWindow& w) { w.canvas().zoom(1 / kKeyZoom); }},
    {"View", "Earlier",             "A Left",       "move to earlier times",                            [](MainWindow& w) { w.canvas().pan(-kKeyPan); }},
    {"View", "Later",               "D Right",      "move to later times",                              [](MainWindow& w) { w.canvas().pan(kKeyPan); }},
    {"View", "Zoom to selection",   "F",            "fill the view with the selected range or span",    [](MainWindow& w) { w.canvas().zoomToSelection(); }},
    {"View", "Whole run",           "0",            "from the first to the last instant",               [](MainWindow& w) { w.canvas().showAll(); }},
    {"View", "One step",            "1",            "one step, or one layer of it, from the middle",    [](MainWindow& w) { w.canvas().showTelling(); }},
    {"View", "Back",                "Backspace",    "where you looked before",                          [](MainWindow& w) { w.canvas().back(); }},
    {"View", "Higher lanes",        "Ctrl+Shift+Up",   "",                                              [](MainWindow& w) { w.canvas().changeBarHeight(2); }},
    {"View", "Lower lanes",         "Ctrl+Shift+Down", "",                                              [](MainWindow& w) { w.canvas().changeBarHeight(-2); }},
    {"View", "Clear selection",     "Esc",          "and close this help or a message",                 [](MainWindow& w) { w.escape(); }},
    {"View", "Dark or light",       "Ctrl+T",       "",                                                 [](MainWindow& w) { w.toggleTheme(); }},
    {"Help", "Keys and gestures",   "? F1",         "this page",                                        [](MainWindow& w) { w.toggleHelp(); }},
    {"", "Zoom",                    "Ctrl+wheel",          "the time under the mouse stays",            nullptr},
    {"", "Scroll the lanes",        "wheel",               "",                                          nullptr},
    {"", "Move in time",            "Shift+wheel, middle button", "",                                   nullptr},
    {"", "Lane height",             "Ctrl+Shift+wheel",    "",                                          nullptr},
    {"", "Measure",                 "drag",                "length, busy and exposed time of a range, means over the ranks shown", nullptr},
    {"", "Select a span",           "click",               "F then zooms to it",                        nullptr},
    {"", "All about a span",        "rest on it",          "stage, wave, step, layer, bytes, rates, exposed part", nullptr},
    {"", "Open",                    "drop a file or directory", "",                                     nullptr},
};
// clang-format on

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The command line of moescope-gui.

#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/scope.h"
#include "gui/core/palette.h"

namespace moescope::gui {

struct Options {
  std::vector<std::string> runs;
  std::string screenshot;  // file, or empty: a window
  std::string view = "gantt";
  std::string range;  // as typed; what it means depends on the run's length
  std::string size;
  double width = 1600, height = 0;  // 0: as high as needed
  double scale = 1;                 // device pixels per pixel of the picture
  Theme theme = Theme::kDark;
  Range ranks, steps;
  bool salvage = false;  // of a truncated trace, show what is whole
};

struct ParsedOptions {
  std::optional<Options> options;  // none: stop with exit_code; text was printed
  int exit_code = 0;
};
// Prints help, version or the one line that says what is wrong.
ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace moescope::gui

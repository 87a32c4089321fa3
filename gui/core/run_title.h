#pragma once
// SPDX-License-Identifier: Apache-2.0
// What stands above the picture: which run this is, its key figures, and what one must know before believing them.

#include <string>
#include <vector>

#include "analyzer/stage/structure.h"
#include "gui/core/gantt.h"

namespace moescope::gui {

struct KeyFigure {
  std::string value, label;  // "2.41 ms", "a step (median)"
};
struct RunTitle {
  std::string name, about;
  std::vector<KeyFigure> figures;
  std::vector<std::string> badges;  // "virtual clock", "cut short"
};
RunTitle run_title(const Trace& trace, const Structure& structure, const Gantt& gantt,
                   const std::vector<std::string>& paths);

}  // namespace moescope::gui

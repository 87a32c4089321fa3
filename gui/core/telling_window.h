#pragma once
// SPDX-License-Identifier: Apache-2.0
// What to show first when nobody said: not the whole run squeezed into a thousand pixels, but one step, or one layer of
// it, from the middle of the run, where it has settled.

#include <string>

#include "analyzer/stage/structure.h"
#include "gui/core/gantt.h"

namespace moescope::gui {

struct TellingWindow {
  Interval time;     // relative to the run's start, with a little room around
  std::string what;  // "step 4, layer 1"
};
// steps: the ones to look at (the user's numbers), all by default; with a choice made, all of its steps are shown.
TellingWindow telling_window(const Structure& structure, const Gantt& gantt, const Range& steps = {});

}  // namespace moescope::gui

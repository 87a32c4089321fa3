#pragma once
// SPDX-License-Identifier: Apache-2.0
// A loaded run: built on the loading thread, never changed afterwards, shared by all views.

#include <memory>
#include <string>
#include <vector>

#include "gui/core/gantt.h"
#include "gui/core/run_title.h"

namespace moescope::gui {

struct RunData {
  std::vector<std::string> paths;
  Trace trace;
  Attribution attribution;
  Analysis analysis;
  Gantt gantt;
  RunTitle title;
};
using RunPtr = std::shared_ptr<const RunData>;

// Lanes, figures and title from a trace that is already in memory.
RunPtr make_run(std::vector<std::string> paths, Trace trace, Attribution attribution, const GanttOptions& options);

}  // namespace moescope::gui

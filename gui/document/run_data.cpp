// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run_data.h"

#include <utility>

namespace moescope::gui {

RunPtr make_run(std::vector<std::string> paths, Trace trace, Attribution attribution, const GanttOptions& options) {
  auto run = std::make_shared<RunData>();
  run->paths = std::move(paths);
  run->trace = std::move(trace);
  run->attribution = std::move(attribution);
  Scope scope;
  scope.ranks = options.ranks;
  run->analysis = analyze(run->trace, run->attribution, scope);
  run->gantt = build_gantt(run->trace, run->attribution, run->analysis, options);
  run->title = run_title(run->trace, run->attribution.structure, run->gantt, run->paths);
  return run;
}

}  // namespace moescope::gui

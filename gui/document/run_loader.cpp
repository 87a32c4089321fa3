// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run_loader.h"

#include <utility>

#include "analyzer/import/importer.h"
#include "analyzer/stage/attribution.h"

namespace moescope::gui {

RunPtr load_run(const LoadRequest& request, const LoadProgress& progress) {
  ImportOptions options;
  options.progress = progress;
  Trace trace = load_trace(request.paths, "auto", options);
  Attribution attribution = attribute(trace);
  return make_run(request.paths, std::move(trace), std::move(attribution), request.gantt);
}

}  // namespace moescope::gui

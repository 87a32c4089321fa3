// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run_loader.h"

#include <utility>

#include "analyzer/import/importer.h"
#include "analyzer/stage/attribution.h"
#include "analyzer/stage/model_from_names.h"

namespace moescope::gui {

RunLoader file_loader(bool salvage) {
  return [salvage](const LoadRequest& request, const LoadProgress& progress) {
    ImportOptions options;
    options.progress = progress;
    options.salvage = salvage;
    Trace trace = load_trace(request.paths, "auto", options);
    complete_model(trace);
    Attribution attribution = attribute(trace);
    return make_run(request.paths, std::move(trace), std::move(attribution), request.gantt);
  };
}

}  // namespace moescope::gui

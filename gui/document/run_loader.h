#pragma once
// SPDX-License-Identifier: Apache-2.0
// From paths to a run, whatever they name: the one place of the viewer that reads files.

#include <functional>

#include "gui/document/run_data.h"

namespace moescope::gui {

struct LoadRequest {
  std::vector<std::string> paths;
  GanttOptions gantt;
};
// Bytes read so far and in all (0: unknown). May throw to give up: the exception passes through the loader.
using LoadProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;
using RunLoader = std::function<RunPtr(const LoadRequest& request, const LoadProgress& progress)>;

// Reads with the analyzer's importers and attributes every span. Throws TraceError. Any thread. salvage: of a truncated
// file, what is whole.
RunLoader file_loader(bool salvage);

}  // namespace moescope::gui

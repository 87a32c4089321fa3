#pragma once
// SPDX-License-Identifier: Apache-2.0
// moescope-gui --screenshot: loads, draws, writes; the file appears whole or not at all.

#include "gui/app/options.h"
#include "gui/document/run_loader.h"

namespace moescope::gui {

// Returns the exit code; what is wrong goes to stderr as one line. Needs a QApplication.
int take_screenshot(const Options& options, const RunLoader& loader);

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The window's own colours: Fusion with a palette taken from the Gantt's theme.

#include "gui/core/palette.h"

namespace moescope::gui {

void apply_theme(Theme theme);  // to the QApplication

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What went wrong while the run was recorded or read, or was left out: shown before any figure, since figures stand on
// it.

#include "analyzer/report/sections.h"

namespace moescope {

// Errors and warnings, the worst first, a few lines; nothing where there are none.
void diagnostics_text(const ReportInput& input, TextPage& page);
// All of them, what was left out too.
void diagnostics_json(const ReportInput& input, JsonWriter& json);

}  // namespace moescope

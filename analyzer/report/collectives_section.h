#pragma once
// SPDX-License-Identifier: Apache-2.0
// Collectives by operation and group size: how many, how long, how fast.

#include "analyzer/report/sections.h"

namespace moescope {

void collectives_text(const ReportInput& input, TextPage& page);
void collectives_json(const ReportInput& input, JsonWriter& json);

}  // namespace moescope

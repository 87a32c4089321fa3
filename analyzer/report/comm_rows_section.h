#pragma once
// SPDX-License-Identifier: Apache-2.0
// Communication and what hides it, by pass and by wave.

#include "analyzer/report/sections.h"

namespace moescope {

void passes_text(const ReportInput& input, TextPage& page);
void passes_json(const ReportInput& input, JsonWriter& json);
void by_wave_text(const ReportInput& input, TextPage& page);
void by_wave_json(const ReportInput& input, JsonWriter& json);

}  // namespace moescope

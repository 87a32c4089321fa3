#pragma once
// SPDX-License-Identifier: Apache-2.0
// Device work whose stage nobody knows, by time: what a rules file should name.

#include <string>

#include "analyzer/report/sections.h"

namespace moescope {

void unattributed_text(const ReportInput& input, TextPage& page);  // a few lines of it
void unattributed_json(const ReportInput& input, JsonWriter& json);
// The list alone, for a terminal.
std::string unattributed_page(const ReportInput& input, const TextStyle& style);

}  // namespace moescope

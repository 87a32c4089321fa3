#pragma once
// SPDX-License-Identifier: Apache-2.0
// What became of the user's own stage rules: one that decided no name is misspelt, or hidden behind another.

#include "analyzer/report/json_writer.h"
#include "analyzer/report/report.h"
#include "analyzer/report/text_page.h"

namespace moescope {

void user_rules_text(const ReportInput& input, TextPage& page);
void user_rules_json(const ReportInput& input, JsonWriter& json);

}  // namespace moescope

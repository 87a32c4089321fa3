#pragma once
// SPDX-License-Identifier: Apache-2.0
// Between ranks: how much of communication is waiting for the last rank, who that is, and how well the clocks agree.

#include "analyzer/report/sections.h"

namespace moescope {

void arrival_text(const ReportInput& input, TextPage& page);
void arrival_json(const ReportInput& input, JsonWriter& json);
void arrival_abstain(const ReportInput& input, std::vector<Abstention>& list);

}  // namespace moescope

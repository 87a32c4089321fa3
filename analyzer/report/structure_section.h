#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the run's steps, layers, micro-batches and waves come from: the record's marks, or its repeating pattern.

#include "analyzer/report/sections.h"

namespace moescope {

void structure_text(const ReportInput& input, TextPage& page);
void structure_json(const ReportInput& input, JsonWriter& json);

}  // namespace moescope

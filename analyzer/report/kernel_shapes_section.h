#pragma once
// SPDX-License-Identifier: Apache-2.0
// What kernels' names say of the problem they were compiled for: widths, experts, ranks, tiles, wave size.

#include "analyzer/report/json_writer.h"
#include "analyzer/report/report.h"
#include "analyzer/report/text_page.h"

namespace moescope {

void kernel_shapes_text(const ReportInput& input, TextPage& page);
void kernel_shapes_json(const ReportInput& input, JsonWriter& json);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why devices idled, what compute waited for, what is in flight between kernels, and how exchanges and reductions
// disturb each other. In JSON these are fields of ranks[].

#include "analyzer/report/sections.h"

namespace moescope {

void waiting_text(const ReportInput& input, TextPage& page);

}  // namespace moescope

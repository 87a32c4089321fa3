#pragma once
// SPDX-License-Identifier: Apache-2.0
// The report of a run, for people and for scripts. Both say the same figures; neither touches files.

#include <string>

#include "analyzer/metric/analysis.h"

namespace moescope {

struct ReportInput {
  const Trace& trace;
  const Attribution& attribution;
  const Analysis& analysis;
};

// "moescope.report/1"; report.schema.json describes it.
std::string report_json(const ReportInput& input, const std::string& tool_version);

struct TextStyle {
  bool color = false;  // ANSI colours
};
std::string report_text(const ReportInput& input, const TextStyle& style);

}  // namespace moescope

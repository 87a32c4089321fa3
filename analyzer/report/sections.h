#pragma once
// SPDX-License-Identifier: Apache-2.0
// Parts of the report that are a file each (<key>_section.cpp): what it says as text and as JSON, and why it says
// nothing. THE list is in sections.cpp; text and JSON follow its order. A new part is a file and a line there, and its
// shape in report.schema.json.

#include <span>
#include <string_view>
#include <vector>

#include "analyzer/report/abstentions.h"
#include "analyzer/report/json_writer.h"
#include "analyzer/report/report.h"
#include "analyzer/report/text_page.h"

namespace moescope {

struct Section {
  std::string_view key;  // in JSON; empty: text alone
  // Any may be null: no text; an empty array; never abstains. json writes one value.
  void (*text)(const ReportInput& input, TextPage& page) = nullptr;
  void (*json)(const ReportInput& input, JsonWriter& json) = nullptr;
  void (*abstain)(const ReportInput& input, std::vector<Abstention>& list) = nullptr;
};

std::span<const Section> sections();

}  // namespace moescope

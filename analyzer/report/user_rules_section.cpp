// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/user_rules_section.h"

namespace moescope {

void user_rules_text(const ReportInput& input, TextPage& page) {
  const auto& rules = input.attribution.user_rules;
  if (rules.empty()) return;
  std::size_t used = 0;
  for (const UserRuleUse& rule : rules) used += rule.names > 0;
  page.title("Your stage rules");
  page.line(std::to_string(used) + " of " + std::to_string(rules.size()) + " decided names of this run");
  for (const UserRuleUse& rule : rules)
    if (rule.names == 0) page.line(page.warn(rule.place + " decided none: " + rule.pattern));
}

void user_rules_json(const ReportInput& input, JsonWriter& json) {
  json.begin_array();
  for (const UserRuleUse& rule : input.attribution.user_rules) {
    json.begin_object(JsonWriter::Layout::kLine);
    json.field("place", rule.place);
    json.field("pattern", rule.pattern);
    json.field("names", rule.names);
    json.end_object();
  }
  json.end_array();
}

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// A user's own rules: a text file, one rule a line. analyzer/README.md says how they are written.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/stage/stage_rule.h"

namespace moescope {

// Rules whose words come from files, and the texts they stand on. A rule's provenance is "FILE:LINE".
struct UserRules {
  UserRules() = default;
  UserRules(const UserRules&) = delete;  // the rules point into texts
  UserRules& operator=(const UserRules&) = delete;
  std::vector<StageRule> rules;
  std::deque<std::string> texts;
};

// Adds what the file says. Throw TraceError naming the file, the line and the mend; into is then unchanged.
void read_stage_rules(const std::string& path, UserRules& into);
void parse_stage_rules(std::string_view text, const std::string& path, UserRules& into);

}  // namespace moescope

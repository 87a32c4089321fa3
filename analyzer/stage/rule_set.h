#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rules, compiled, and the first of them that matches a name. Tens of microseconds a name: classify each name once.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/stage/name_pattern.h"
#include "analyzer/stage/stage_rule.h"

namespace moescope {

// THE table (builtin_rules.cpp), in the order of priority.
std::span<const StageRule> builtin_rules();

class RuleSet {
 public:
  explicit RuleSet(std::span<const StageRule> rules);  // which must outlive it
  // nullptr: no rule knows the name. Any thread.
  const StageRule* first_match(RuleKind kind, std::string_view name) const;
  static const RuleSet& builtin();  // compiled on first use

 private:
  struct Compiled {
    const StageRule* rule;
    NamePattern pattern;
  };
  std::vector<Compiled> by_kind_[4];
};

}  // namespace moescope

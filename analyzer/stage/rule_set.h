#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rules, compiled, and the first of them that matches a name. About a microsecond a name: one pass over it finds which
// rules can match at all (name_filter.h), and only those are tried.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/stage/name_filter.h"
#include "analyzer/stage/name_pattern.h"
#include "analyzer/stage/stage_rule.h"

namespace moescope {

struct UserRules;

// THE table (builtin_rules.cpp), in the order of priority.
std::span<const StageRule> builtin_rules();

class RuleSet {
 public:
  explicit RuleSet(std::span<const StageRule> rules);  // which must outlive it
  // The builtin table and the user's on top: of equal priority the user's comes first.
  explicit RuleSet(std::shared_ptr<const UserRules> user);
  // nullptr: no rule knows the name. Any thread.
  const StageRule* first_match(RuleKind kind, std::string_view name) const;
  // The same without the filter, for holding one against the other.
  const StageRule* first_match_unfiltered(RuleKind kind, std::string_view name) const;
  std::vector<const StageRule*> rules() const;  // by kind, then in the order in which they are tried
  std::span<const StageRule> user_rules() const;
  static const RuleSet& builtin();  // compiled on first use

 private:
  struct Compiled {
    const StageRule* rule;
    NamePattern pattern;
  };
  struct Kind {
    std::vector<Compiled> rules;
    NameFilter filter;
  };
  void add(std::span<const StageRule> rules);
  void sort();
  Kind kinds_[4];
  std::shared_ptr<const UserRules> user_;
};

}  // namespace moescope

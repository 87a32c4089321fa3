// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/rule_set.h"

#include <algorithm>
#include <bit>

#include "analyzer/stage/rule_file.h"

namespace moescope {

Stage leading_stage(StageSet stages) {
  for (const Stage stage : {Stage::kL1, Stage::kL2, Stage::kACT, Stage::kATTENTION})
    if (stages.contains(stage)) return stage;
  for (int i = 0; i < kStageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    if (stages.contains(stage) && kCommunicationStages.contains(stage)) return stage;
  }
  for (int i = 0; i < kStageCount; ++i)
    if (stages.contains(static_cast<Stage>(i))) return static_cast<Stage>(i);
  return Stage::kUNATTRIBUTED;
}

RuleSet::RuleSet(std::span<const StageRule> rules) {
  add(rules);
  sort();
}

RuleSet::RuleSet(std::shared_ptr<const UserRules> user) : user_(std::move(user)) {
  add(user_->rules);
  add(builtin_rules());
  sort();
}

void RuleSet::add(std::span<const StageRule> rules) {
  for (const StageRule& rule : rules)
    kinds_[static_cast<std::size_t>(rule.kind)].rules.push_back({&rule, NamePattern(rule.pattern)});
}

void RuleSet::sort() {
  for (Kind& kind : kinds_) {
    std::stable_sort(kind.rules.begin(), kind.rules.end(),
                     [](const Compiled& a, const Compiled& b) { return a.rule->priority < b.rule->priority; });
    std::vector<std::vector<std::vector<std::string>>> needed;
    for (const Compiled& one : kind.rules) needed.push_back(one.pattern.needed_lists());
    kind.filter = NameFilter(needed);
  }
}

const StageRule* RuleSet::first_match(RuleKind kind, std::string_view name) const {
  const Kind& table = kinds_[static_cast<std::size_t>(kind)];
  std::vector<std::uint64_t> possible = table.filter.possible(name);
  for (std::size_t word = 0; word < possible.size(); ++word)
    for (std::uint64_t bits = possible[word]; bits != 0; bits &= bits - 1) {
      const Compiled& one = table.rules[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      if (one.pattern.found_by_automaton(name)) return one.rule;
    }
  return nullptr;
}

const StageRule* RuleSet::first_match_unfiltered(RuleKind kind, std::string_view name) const {
  for (const Compiled& one : kinds_[static_cast<std::size_t>(kind)].rules)
    if (one.pattern.found_by_automaton(name)) return one.rule;
  return nullptr;
}

std::vector<const StageRule*> RuleSet::rules() const {
  std::vector<const StageRule*> all;
  for (const Kind& kind : kinds_)
    for (const Compiled& one : kind.rules) all.push_back(one.rule);
  return all;
}

std::span<const StageRule> RuleSet::user_rules() const {
  return user_ ? std::span<const StageRule>(user_->rules) : std::span<const StageRule>();
}

const RuleSet& RuleSet::builtin() {
  static const RuleSet kSet(builtin_rules());
  return kSet;
}

}  // namespace moescope

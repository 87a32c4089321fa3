// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/rule_set.h"

#include <algorithm>

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
  for (const StageRule& rule : rules)
    by_kind_[static_cast<std::size_t>(rule.kind)].push_back({&rule, NamePattern(rule.pattern)});
  for (auto& compiled : by_kind_)
    std::stable_sort(compiled.begin(), compiled.end(),
                     [](const Compiled& a, const Compiled& b) { return a.rule->priority < b.rule->priority; });
}

const StageRule* RuleSet::first_match(RuleKind kind, std::string_view name) const {
  for (const Compiled& compiled : by_kind_[static_cast<std::size_t>(kind)])
    if (compiled.pattern.found_in(name)) return compiled.rule;
  return nullptr;
}

const RuleSet& RuleSet::builtin() {
  static const RuleSet kSet(builtin_rules());
  return kSet;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/rule_text.h"

namespace moescope {

std::string_view name(RuleKind kind) {
  switch (kind) {
    case RuleKind::kKernel:
      return "kernel";
    case RuleKind::kRange:
      return "range";
    case RuleKind::kCollective:
      return "collective";
    case RuleKind::kCopy:
      return "copy";
  }
  return "";
}

std::vector<Stage> stages_of(StageSet set) {
  std::vector<Stage> all;
  for (int i = 0; i < kStageCount; ++i)
    if (set.contains(static_cast<Stage>(i))) all.push_back(static_cast<Stage>(i));
  return all;
}

std::string stage_text(const StageRule& rule) {
  constexpr StageSet kOnTheWay = StageSet(Stage::kPERMUTE) | Stage::kUNPERMUTE | Stage::kACT;
  const Stage leading = leading_stage(rule.stages);
  bool fused = false;
  std::string together;
  for (const Stage stage : stages_of(rule.stages)) {
    const bool same_kind = kCommunicationStages.contains(stage) && kCommunicationStages.contains(leading);
    fused = fused || (stage != leading && !kOnTheWay.contains(stage) && !same_kind);
    together += (together.empty() ? "" : "+") + std::string(name(stage));
  }
  std::string text = fused ? together : std::string(name(leading));
  for (const Stage stage : stages_of(rule.candidates))
    if (!rule.stages.contains(stage)) text += "|" + std::string(name(stage));
  return text;
}

}  // namespace moescope

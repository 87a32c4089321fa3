#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rules as people read and write them.

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/stage/stage_rule.h"

namespace moescope {

std::string_view name(RuleKind kind);
std::vector<Stage> stages_of(StageSet set);
// The stage the time is counted under, then what else it may be: "l1|l2". A kernel that does more than move or activate
// rows on the way of that stage is all its stages: "dispatch+l1".
std::string stage_text(const StageRule& rule);

}  // namespace moescope

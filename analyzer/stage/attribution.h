#pragma once
// SPDX-License-Identifier: Apache-2.0
// What each span of a trace is: names turned into meaning. Derived, never stored in the raw tables; one entry a span
// row.

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/answer.h"
#include "analyzer/model/column.h"
#include "analyzer/model/launch_index.h"
#include "analyzer/model/stage.h"
#include "analyzer/model/trace.h"
#include "analyzer/stage/structure.h"

namespace moescope {

class RuleSet;

// What became of a rule of the user's: one that decides no name is misspelt, or hidden behind another.
struct UserRuleUse {
  std::string place;  // FILE:LINE
  std::string pattern;
  std::int64_t names = 0;  // distinct names it decided
};

struct Attribution {
  Column<Stage> stage;      // what it physically does
  Column<Stage> role;       // its place in the layer; as stage where nothing says otherwise
  Column<StageSet> stages;  // all that a fused kernel does; the stage alone otherwise; empty unattributed
  Column<Part> part;
  Column<Pass> pass;
  Column<ActivityClass> activity;   // kNone on host tracks
  Column<std::int32_t> annotation;  // NameId of the innermost user range its launch lay in, -1 none
  Column<std::uint32_t> launch;     // row of the host call that launched it, kNoLaunch none
  Structure structure;              // step, layer, micro-batch, wave
  // Share of device work time (union per device, summed) whose stage is known; absent without device work.
  Answer<double> attributed_fraction = Abstained{"no GPU or execution records"};
  std::vector<UserRuleUse> user_rules;  // empty without such rules
};

// Attributes every span: what the record says itself, else the rules by name, else the launching range. Pure; linear
// but for one sort per host thread. Each distinct name is matched against the rules once.
Attribution attribute(const Trace& trace, const RuleSet& rules);
Attribution attribute(const Trace& trace);  // by the builtin rules alone

}  // namespace moescope

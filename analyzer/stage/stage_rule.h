#pragma once
// SPDX-License-Identifier: Apache-2.0
// One row of the attribution table: names that match the pattern mean these stages.

#include <string_view>

#include "analyzer/model/stage.h"

namespace moescope {

enum class RuleKind : std::uint8_t { kKernel, kRange, kCollective, kCopy };  // what kind of name it is about
inline constexpr std::size_t kRuleKindCount = 4;

struct StageRule {
  int priority;  // the lowest that matches wins; equal ones in the table's order
  RuleKind kind;
  const char* pattern;  // name_pattern.h
  StageSet stages;      // more than one: a fused kernel
  Part part = Part::kPAYLOAD;
  Pass pass = Pass::kUNKNOWN;
  StageSet candidates = {};     // where the name alone can't tell: what else it may be; stages is then the likeliest
  std::string_view framework;   // whose name it is
  std::string_view provenance;  // trace: seen in a record; source: read in the framework's source; unverified
};

// The one stage a set stands for. Expert GEMMs come first, so a GEMM fused with communication is compute: what it moves
// can't be told from outside. Otherwise communication, so that permuting on the way is part of the exchange.
Stage leading_stage(StageSet stages);

}  // namespace moescope

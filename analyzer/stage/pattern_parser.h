#pragma once
// SPDX-License-Identifier: Apache-2.0
// Turns the text of a NamePattern into a tree.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/stage/name_pattern.h"

namespace moescope {

struct PatternNode {
  enum class Kind { kByte, kSet, kBegin, kEnd, kWordEdge, kSequence, kChoice, kRepeat };
  Kind kind = Kind::kSequence;
  unsigned char byte = 0;
  NamePattern::Set set;
  std::vector<PatternNode> children;  // kRepeat: one
  int least = 0, most = -1;           // kRepeat; most -1: unbounded
};

// Throws std::invalid_argument.
PatternNode parse_pattern(std::string_view pattern);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Names of every stack with the stage they must get (known_names.tsv): cores of names met in records, or formed after
// the frameworks' sources, with parameters of our own. A fused kernel's stages are joined by +, alternatives by |.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/stage/rule_set.h"

namespace moescope::test {

struct KnownName {
  RuleKind kind = RuleKind::kKernel;
  std::string stage, part, pass, name;
};

inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  return fields;
}

inline std::vector<KnownName> known_names() {
  std::vector<KnownName> names;
  std::ifstream in(MOESCOPE_SOURCE_DIR "/tests/analyzer/stage/known_names.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const auto field = fields_of(line);
    const RuleKind kind = field.at(0) == "kernel"       ? RuleKind::kKernel
                          : field.at(0) == "range"      ? RuleKind::kRange
                          : field.at(0) == "collective" ? RuleKind::kCollective
                                                        : RuleKind::kCopy;
    names.push_back({kind, field.at(1), field.at(2), field.at(3), field.at(4)});
  }
  return names;
}

}  // namespace moescope::test

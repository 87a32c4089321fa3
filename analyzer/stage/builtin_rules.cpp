// SPDX-License-Identifier: Apache-2.0
// THE table: every rule, in the order in which they are tried. A rule is a row in one of the parts below.
#include <algorithm>
#include <vector>

#include "analyzer/stage/rule_set.h"
#include "analyzer/stage/rule_tables.h"

namespace moescope {

std::span<const StageRule> builtin_rules() {
  static const std::vector<StageRule> kAll = [] {
    std::vector<StageRule> all;
    for (const auto part : {guard_rules(), exchange_rules(), routing_rules(), expert_rules(), collective_rules(),
                            dense_rules(), library_rules(), rocm_rules(), range_rules()})
      all.insert(all.end(), part.begin(), part.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const StageRule& a, const StageRule& b) { return a.priority < b.priority; });
    return all;
  }();
  return kAll;
}

}  // namespace moescope

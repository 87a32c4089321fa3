#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a name says by the rules, each distinct name looked up once. Look-ups may come from any number of threads.

#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/model/trace.h"
#include "analyzer/stage/attribution.h"
#include "analyzer/stage/rule_set.h"

namespace moescope {

struct NameMeaning {
  StageSet stages;  // empty: no rule knows the name
  Stage stage = Stage::kUNATTRIBUTED;
  Part part = Part::kPAYLOAD;
  Pass pass = Pass::kUNKNOWN;
  StageSet candidates;
  const StageRule* rule = nullptr;  // that said so
  bool known() const { return stages.bits() != 0; }
};

class NameMeanings {
 public:
  NameMeanings(const Trace& trace, const RuleSet& rules);
  const NameMeaning& of_device_work(std::int32_t name, SpanKind kind);
  const NameMeaning& of_range(std::int32_t name);
  // The user's rules, in their files' order, and how many of the names looked up so far each decided.
  std::vector<UserRuleUse> user_rule_uses() const;

 private:
  const NameMeaning& look_up(std::int32_t name, RuleKind kind) {
    const auto& slot = by_name_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(name)];
    const NameMeaning* const known = slot.load(std::memory_order_acquire);
    return known != nullptr ? *known : work_out(name, kind);
  }
  const NameMeaning& work_out(std::int32_t name, RuleKind kind);
  void fill(std::int32_t name, RuleKind kind, NameMeaning& meaning) const;
  bool is_shared_expert(const std::string& readable) const;
  const Trace& trace_;
  const RuleSet& rules_;
  std::mutex mutex_;
  std::deque<NameMeaning> known_;
  // Into known_, by rule kind and name; null: not asked yet.
  std::vector<std::atomic<const NameMeaning*>> by_name_[kRuleKindCount];
  std::set<std::pair<std::int32_t, std::int32_t>> expert_sizes_;  // N and K of the trace's grouped GEMMs
};

// The pass a range's name ends in, as pipeline schedules write it: "(F)", "(B)" or "(W)".
Pass pass_of_range_name(std::string_view name);

}  // namespace moescope

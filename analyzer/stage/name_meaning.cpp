// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/name_meaning.h"

#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/model_from_names.h"

namespace moescope {

NameMeanings::NameMeanings(const Trace& trace, const RuleSet& rules) : trace_(trace), rules_(rules) {
  for (auto& by_name : by_name_) by_name = std::vector<std::atomic<const NameMeaning*>>(trace.names.size());
  for (const NamedShape& one : named_shapes(trace))
    if (one.shape.kind == ShapeKind::kGroupedGemm && one.shape.n > 0 && one.shape.k > 0 && one.shape.n != one.shape.k)
      expert_sizes_.insert({one.shape.n, one.shape.k});
}

// A dense GEMM whose weights are of just the size of an expert's is the shared expert's: no other layer is built so.
// Both projections must be among the grouped GEMMs, so that a chance equality of one size is not enough.
bool NameMeanings::is_shared_expert(const std::string& readable) const {
  if (expert_sizes_.size() != 2) return false;
  const auto [first, second] = std::pair(*expert_sizes_.begin(), *expert_sizes_.rbegin());
  const bool projections = first.first == second.second || first.second == second.first;  // out of one, into the other
  const auto dense = projections ? dense_gemm_shape(readable) : std::nullopt;
  return dense && expert_sizes_.contains({dense->n, dense->k});
}

const NameMeaning& NameMeanings::work_out(std::int32_t name, RuleKind kind) {
  const std::lock_guard lock(mutex_);
  auto& slot = by_name_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(name)];
  if (const NameMeaning* const known = slot.load(std::memory_order_relaxed)) return *known;
  NameMeaning& meaning = known_.emplace_back();
  fill(name, kind, meaning);
  slot.store(&meaning, std::memory_order_release);
  return meaning;
}

void NameMeanings::fill(std::int32_t name, RuleKind kind, NameMeaning& meaning) const {
  const std::string& raw = trace_.names[static_cast<std::size_t>(name)];
  const StageRule* rule = nullptr;
  const std::string readable = kind == RuleKind::kKernel ? readable_kernel_name(raw) : std::string();
  if (kind == RuleKind::kKernel) rule = rules_.first_match(kind, readable);
  if (!rule) rule = rules_.first_match(kind, raw);
  if (rule) {
    meaning = {rule->stages, leading_stage(rule->stages), rule->part, rule->pass, rule->candidates, rule};
    if (meaning.stage == Stage::kOTHER && rule->framework == "deepgemm" && is_shared_expert(readable))
      meaning = {Stage::kSHARED_EXPERT,
                 Stage::kSHARED_EXPERT,
                 rule->part,
                 rule->pass,
                 StageSet(Stage::kSHARED_EXPERT) | Stage::kOTHER,
                 rule};
  }
  if (kind == RuleKind::kRange)
    if (const Pass pass = pass_of_range_name(raw); pass != Pass::kUNKNOWN) meaning.pass = pass;
}

const NameMeaning& NameMeanings::of_device_work(std::int32_t name, SpanKind kind) {
  static const NameMeaning kMemory{Stage::kMEMCPY, Stage::kMEMCPY, Part::kPAYLOAD, Pass::kUNKNOWN, {}, nullptr};
  switch (kind) {
    case SpanKind::kCOPY: {
      const NameMeaning& meaning = look_up(name, RuleKind::kCopy);
      return meaning.known() ? meaning : kMemory;
    }
    case SpanKind::kMEMSET:
      return kMemory;
    case SpanKind::kWORK:  // named by a person or by the kernel it is
      if (const NameMeaning& meaning = look_up(name, RuleKind::kRange); meaning.known()) return meaning;
      return look_up(name, RuleKind::kKernel);
    default:
      return look_up(name, RuleKind::kKernel);
  }
}

const NameMeaning& NameMeanings::of_range(std::int32_t name) {
  return look_up(name, RuleKind::kRange);
}

std::vector<UserRuleUse> NameMeanings::user_rule_uses() const {
  std::unordered_map<const StageRule*, std::int64_t> decided;
  for (const NameMeaning& meaning : known_)
    if (meaning.rule != nullptr) ++decided[meaning.rule];
  std::vector<UserRuleUse> uses;
  for (const StageRule& rule : rules_.user_rules())
    uses.push_back({std::string(rule.provenance), rule.pattern, decided.count(&rule) ? decided.at(&rule) : 0});
  return uses;
}

Pass pass_of_range_name(std::string_view name) {
  if (name.ends_with("(F)")) return Pass::kFORWARD;
  if (name.ends_with("(B)")) return Pass::kBACKWARD;
  if (name.ends_with("(W)")) return Pass::kBACKWARD_WEIGHT;
  return Pass::kUNKNOWN;
}

}  // namespace moescope

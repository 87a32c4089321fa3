// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/structural_match.h"

#include <algorithm>
#include <iterator>

namespace moescope {
namespace {

std::string words(std::pair<Stage, Pass> stage) {
  std::string text(name(stage.first));
  if (stage.second != Pass::kUNKNOWN) text += " " + std::string(name(stage.second));
  return text;
}

std::optional<std::string> difference(const RunSample& one, const RunSample& other) {
  const auto number = [&](const char* what, std::size_t a, std::size_t b) -> std::optional<std::string> {
    if (a == b) return std::nullopt;
    return "has " + std::to_string(b) + " " + what + " where " + one.label + " has " + std::to_string(a);
  };
  if (one.steps == 0) return "cannot be compared: " + one.label + " has no GPU or execution work";
  if (other.steps == 0) return "has no GPU or execution work";
  if (auto trouble = number("ranks", one.ranks, other.ranks)) return trouble;
  if (auto trouble = number("layers", one.layers.size(), other.layers.size())) return trouble;
  if (one.layers != other.layers) return "numbers its layers differently from " + one.label;
  if (one.kinds != other.kinds) return "has steps of another kind than " + one.label;
  std::vector<std::pair<Stage, Pass>> only;
  std::set_difference(one.stages.begin(), one.stages.end(), other.stages.begin(), other.stages.end(),
                      std::back_inserter(only));
  if (!only.empty()) return "has no " + words(only.front()) + " work where " + one.label + " has";
  std::set_difference(other.stages.begin(), other.stages.end(), one.stages.begin(), one.stages.end(),
                      std::back_inserter(only));
  if (!only.empty()) return "has " + words(only.front()) + " work where " + one.label + " has none";
  if (one.model && other.model) {
    const auto shape = [&](const char* what, std::int32_t a, std::int32_t b) -> std::optional<std::string> {
      if (a == b || a < 0 || b < 0) return std::nullopt;
      return std::string("is a model with ") + what + " " + std::to_string(b) + " where " + one.label + " has " +
             std::to_string(a);
    };
    const Model &a = *one.model, &b = *other.model;
    for (const auto& trouble :
         {shape("hidden width", a.hidden, b.hidden), shape("intermediate width", a.intermediate, b.intermediate),
          shape("experts", a.experts, b.experts), shape("top-k", a.top_k, b.top_k)})
      if (trouble) return trouble;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Mismatch> structural_mismatch(std::span<const RunSample> base, std::span<const RunSample> head) {
  for (const auto runs : {base, head})
    for (const RunSample& run : runs)
      if (const auto trouble = difference(base.front(), run)) return Mismatch{run.label, *trouble};
  return std::nullopt;
}

}  // namespace moescope

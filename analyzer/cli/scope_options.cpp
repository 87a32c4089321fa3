// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/scope_options.h"

#include <CLI/CLI.hpp>

#include "analyzer/cli/usage_error.h"

namespace moescope::cli {
namespace {

Range range(const char* option, const std::string& text) {
  if (text.empty()) return {};
  const auto parsed = parse_range(text);
  if (!parsed)
    throw UsageError(std::string(option) + " " + text + ": not a range; write A:B with A <= B, A:, :B or one number");
  return *parsed;
}

}  // namespace

void ScopeOptions::add_to(CLI::App& app) {
  app.add_option("--ranks", ranks_, "Only these ranks, inclusive")->type_name("A:B");
  app.add_option("--steps", steps_, "Only these steps, by their number")->type_name("A:B");
  app.add_option("--layers", layers_, "Only work marked with these layers")->type_name("A:B");
  app.add_option("--definition", definition_,
                 "What hides communication: moescope, hta (compute), tracelens (copies too), nsys (per kernel, summed)")
      ->type_name("NAME");
  app.add_option("--per", per_, "Figures per step where steps are known, or for the whole window")
      ->type_name("step|window");
}

Scope ScopeOptions::scope() const {
  Scope scope;
  scope.ranks = range("--ranks", ranks_);
  scope.steps = range("--steps", steps_);
  scope.layers = range("--layers", layers_);
  return scope;
}

Definition ScopeOptions::definition() const {
  const auto known = definition_from_name(definition_);
  if (known) return *known;
  std::string names;
  for (const DefinitionName& one : definitions()) names += (names.empty() ? "" : ", ") + std::string(one.name);
  throw UsageError("--definition " + definition_ + ": unknown; there are " + names);
}

Per ScopeOptions::per() const {
  if (per_ == "step") return Per::kStep;
  if (per_ == "window") return Per::kWindow;
  throw UsageError("--per " + per_ + ": unknown; there are step and window");
}

void check_format(const std::string& format, const std::string& available) {
  const std::string list = ", " + available + ", ";
  if (format.empty() || list.find(", " + format + ", ") == std::string::npos)
    throw UsageError("--format " + format + ": not a format of this version; there are " + available);
}

}  // namespace moescope::cli

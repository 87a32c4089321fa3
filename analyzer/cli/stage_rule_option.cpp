// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/stage_rule_option.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "analyzer/stage/rule_file.h"

namespace moescope::cli {

void StageRuleOption::add_to(CLI::App& app, const std::string& name) {
  app.add_option(name, files_, "Your own stage rules on top of the builtin ones, instead of MOESCOPE_RULES")
      ->type_name("FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::shared_ptr<const RuleSet> StageRuleOption::load() const {
  std::vector<std::string> files = files_;
  const char* const named = std::getenv("MOESCOPE_RULES");
  if (files.empty() && named != nullptr && *named != '\0') files.emplace_back(named);
  if (files.empty()) return {std::shared_ptr<void>(), &RuleSet::builtin()};
  const auto user = std::make_shared<UserRules>();
  for (const std::string& file : files) read_stage_rules(file, *user);
  return std::make_shared<const RuleSet>(user);
}

}  // namespace moescope::cli

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/rule_file.h"

#include "tests/support/catch.h"

using namespace moescope;

namespace {
std::string trouble(const std::string& text) {
  try {
    parse_rules(text, "gate.toml");
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}
}  // namespace

TEST_CASE("rules: those of the file come after the default ones, or stand alone") {
  const std::string text =
      "[[rule]]\nmetric = \"stage_time_ns\"\nstage = \"combine\"\npass = \"forward\"\nbudget = 0.02\n";
  const auto rules = parse_rules(text, "gate.toml");
  REQUIRE(rules.size() == default_rules().size() + 1);
  CHECK(rules.back().compared == Compared::kStageTime);
  CHECK(rules.back().stage == Stage::kCOMBINE);
  CHECK(rules.back().pass == Pass::kFORWARD);
  CHECK(rules.back().budget == 0.02);
  CHECK(parse_rules("defaults = false\n" + text, "gate.toml").size() == 1);
}

TEST_CASE("rules: what is wrong is named with its line and the nearest right word") {
  CHECK(trouble("[[rule]]\nmetric = \"step_ns\"\nbudgt = 0.1\n") ==
        "gate.toml: line 3: unknown key 'budgt'; did you mean 'budget'?");
  CHECK(trouble("rules = 1\n") == "gate.toml: line 1: unknown key 'rules'; did you mean 'rule'?");
  CHECK(trouble("[[rule]]\nmetric = \"steptime\"\nbudget = 0.1\n") ==
        "gate.toml: line 2: unknown metric 'steptime'; did you mean 'step_ns'?");
  CHECK(trouble("[[rule]]\nmetric = \"stage_time_ns\"\nstage = \"combin\"\nbudget = 0.1\n") ==
        "gate.toml: line 3: unknown stage 'combin'; did you mean 'combine'?");
  CHECK(trouble("[[rule]]\nmetric = \"step_ns\"\nbudget = 2\n") ==
        "gate.toml: line 3: 'budget' must lie between 0 and 1; write 1 % as 0.01");
  CHECK(trouble("[[rule]]\nmetric = \"step_ns\"\nbudget = \"1%\"\n") ==
        "gate.toml: line 3: 'budget' must be a number; write 1 % as 0.01");
  CHECK(trouble("[[rule]]\nbudget = 0.1\n").starts_with("gate.toml: line 1: the rule has no 'metric'"));
  CHECK(trouble("[[rule]]\nmetric = \"step_ns\"\n").starts_with("gate.toml: line 1: the rule has no 'budget'"));
  CHECK(trouble("[[rule]]\nmetric = \"step_ns\"\nstage = \"l1\"\nbudget = 0.1\n")
            .starts_with("gate.toml: line 3: 'step_ns' has no stages"));
  CHECK(trouble("rule = [\n").starts_with("gate.toml: line "));
  CHECK(trouble("defaults = false\n") == "gate.toml: has no rules; add a [[rule]]");
  CHECK_THROWS_AS(read_rule_file("/nonexistent/gate.toml"), TraceError);
}

// SPDX-License-Identifier: Apache-2.0
// moescope gate: refuse a change that makes the overlap worse.
#include "analyzer/compare/gate.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/cli/command.h"
#include "analyzer/cli/compare_runs.h"
#include "analyzer/cli/output_file.h"
#include "analyzer/cli/scope_options.h"
#include "analyzer/cli/stage_rule_option.h"
#include "analyzer/compare/rule_file.h"
#include "analyzer/report/gate_report.h"

namespace moescope::cli {
namespace {

struct Options {
  std::vector<std::string> base, head;
  std::string rules, json, markdown;
  ScopeOptions scope;
  StageRuleOption stage_rules;
};

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return kDone;
    case Verdict::kRegress:
      return kRegress;
    case Verdict::kInconclusive:
      break;
  }
  return kInconclusive;
}

std::function<int()> define(CLI::App& app, const Global& global) {
  const auto options = std::make_shared<Options>();
  app.add_option("--base", options->base, "Runs to be as good as")->required()->type_name("RUN...");
  app.add_option("--head", options->head, "Runs to judge")->required()->type_name("RUN...");
  app.add_option("--rules", options->rules, "Budgets (TOML); without it 1 % of step time, 0.5 points exposed")
      ->type_name("FILE");
  app.add_option("--json", options->json, "Write the verdict and its figures here as JSON")->type_name("FILE");
  app.add_option("--markdown", options->markdown, "Write them here as Markdown")->type_name("FILE");
  options->scope.add_to(app);
  options->stage_rules.add_to(app, "--stage-rules");
  return [options, &global] {
    std::vector<GateRule> rules(default_rules().begin(), default_rules().end());
    if (!options->rules.empty()) rules = read_rule_file(options->rules);
    const GateResult result =
        compare_runs(options->base, options->head, options->scope, *options->stage_rules.load(), rules, global);
    if (!options->json.empty()) write_output(options->json, gate_json(result, MOESCOPE_VERSION));
    if (!options->markdown.empty()) write_output(options->markdown, gate_markdown(result));
    if (!global.quiet && options->json != "-" && options->markdown != "-")
      write_output("", gate_text(result, {stdout_wants_color()}, true));
    return exit_code(result.verdict);
  };
}

}  // namespace

const Command kGate = {"gate", "Refuse a change that makes step time or overlap worse",
                       "  moescope gate --base base/ --head head/\n"
                       "  moescope gate --rules gate.toml --base b1/ b2/ b3/ --head h1/ h2/ h3/ --markdown summary.md\n"
                       "Exit status: 0 pass, 1 regress, 3 inconclusive (record more runs).\n",
                       define};

}  // namespace moescope::cli

// SPDX-License-Identifier: Apache-2.0
// moescope compare: two sets of runs side by side.
#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/cli/command.h"
#include "analyzer/cli/compare_runs.h"
#include "analyzer/cli/output_file.h"
#include "analyzer/cli/scope_options.h"
#include "analyzer/cli/stage_rule_option.h"
#include "analyzer/report/gate_report.h"

namespace moescope::cli {
namespace {

struct Options {
  std::vector<std::string> base, head;
  std::string format = "text", output;
  ScopeOptions scope;
  StageRuleOption rules;
};

std::function<int()> define(CLI::App& app, const Global& global) {
  const auto options = std::make_shared<Options>();
  app.add_option("BASE", options->base, "Runs of the base")->required()->type_name("");
  app.add_option("--head", options->head, "Runs of the head; '--' stands for this")->required()->type_name("HEAD...");
  app.add_option("--format", options->format, "text, json or markdown")->type_name("NAME");
  app.add_option("-o,--output", options->output, "Write here instead of to standard output")->type_name("FILE");
  options->scope.add_to(app);
  options->rules.add_to(app, "--rules");
  return [options, &global] {
    check_format(options->format, "text, json, markdown");
    const GateResult result =
        compare_runs(options->base, options->head, options->scope, *options->rules.load(), all_figures(), global);
    const bool color = options->output.empty() && stdout_wants_color();
    write_output(options->output, options->format == "json"       ? gate_json(result, MOESCOPE_VERSION)
                                  : options->format == "markdown" ? gate_markdown(result)
                                                                  : gate_text(result, {color}, false));
    return kDone;
  };
}

}  // namespace

const Command kCompare = {"compare", "Put two sets of runs side by side",
                          "  moescope compare before/ -- after/\n"
                          "  moescope compare base1/ base2/ base3/ -- head1/ head2/ head3/\n",
                          define};

}  // namespace moescope::cli

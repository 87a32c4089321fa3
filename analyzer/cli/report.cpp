// SPDX-License-Identifier: Apache-2.0
// moescope report: what a run did with its communication.
#include "analyzer/report/report.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/cli/command.h"
#include "analyzer/cli/load_run.h"
#include "analyzer/cli/output_file.h"
#include "analyzer/cli/scope_options.h"
#include "analyzer/cli/stage_rule_option.h"
#include "analyzer/report/unattributed_section.h"

namespace moescope::cli {
namespace {

struct Options {
  std::vector<std::string> runs;
  std::string format = "text", output;
  ScopeOptions scope;
  StageRuleOption rules;
  bool salvage = false, unattributed = false;
};

std::function<int()> define(CLI::App& app, const Global& global) {
  const auto options = std::make_shared<Options>();
  app.add_option("RUN", options->runs, "Folders of run files, run files, or traces of other tools: all one run")
      ->required()
      ->type_name("");
  app.add_option("--format", options->format, "text or json")->type_name("NAME");
  app.add_option("-o,--output", options->output, "Write here instead of to standard output")->type_name("FILE");
  options->scope.add_to(app);
  options->rules.add_to(app, "--rules");
  app.add_flag("--salvage", options->salvage, "Read what is whole of a truncated trace");
  app.add_flag("--unattributed", options->unattributed, "List the work whose stage is not known, by time; text only");
  return [options, &global] {
    check_format(options->format, "text, json");
    const LoadedRun run = load_run(options->runs, options->scope, *options->rules.load(), options->salvage, global);
    const ReportInput input{run.trace, run.attribution, run.analysis};
    const bool color = options->output.empty() && stdout_wants_color();
    if (options->unattributed && options->format == "text") {
      write_output(options->output, unattributed_page(input, {color}));
      return kDone;
    }
    write_output(options->output,
                 options->format == "json" ? report_json(input, MOESCOPE_VERSION) : report_text(input, {color}));
    return kDone;
  };
}

}  // namespace

const Command kReport = {"report", "Say what a run did with its communication",
                         "  moescope report run/\n"
                         "  moescope report --format json -o report.json run/\n"
                         "  moescope report --steps 10:20 --ranks 0:7 run/\n"
                         "  moescope report trace.json.gz            (a PyTorch profiler trace)\n",
                         define};

}  // namespace moescope::cli

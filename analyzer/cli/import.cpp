// SPDX-License-Identifier: Apache-2.0
// moescope import: other tools' traces become run files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/cli/command.h"
#include "analyzer/cli/load_run.h"
#include "analyzer/cli/output_file.h"
#include "analyzer/cli/usage_error.h"
#include "analyzer/import/importer.h"
#include "analyzer/store/run_file_export.h"

namespace moescope::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format = "auto", output;
  bool salvage = false;
};

std::string formats() {
  std::string names = "auto, moescope";
  for (const Importer& importer : importers()) names += ", " + std::string(importer.name);
  return names;
}

std::function<int()> define(CLI::App& app, const Global& global) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->files, "Traces of one run, one file a rank")->required()->type_name("");
  app.add_option("-o,--output", options->output, "Folder for the run file; made where it isn't there")
      ->required()
      ->type_name("RUN");
  app.add_option("--format", options->format, formats())->type_name("NAME");
  app.add_flag("--salvage", options->salvage, "Read what is whole of a truncated trace, and mark the run as cut short");
  return [options, &global] {
    const std::string known = formats();
    if ((", " + known + ", ").find(", " + options->format + ", ") == std::string::npos)
      throw UsageError("--format " + options->format + ": not a format of this version; there are " + known);
    const Trace trace = load(options->files, options->format, options->salvage, global);
    const std::string path = write_run_file(trace, options->output, MOESCOPE_VERSION);
    if (!global.quiet)
      write_output("", fmt::format("{}: {} spans, {} ranks{}\n", path, trace.spans.size(), trace.ranks.size(),
                                   trace.cut_short() ? ", cut short" : ""));
    return kDone;
  };
}

}  // namespace

const Command kImport = {"import", "Turn traces of other tools into a run",
                         "  moescope import trace.json.gz -o run/\n"
                         "  moescope import rank*.pt.trace.json.gz -o run/\n"
                         "  moescope import --salvage truncated.json -o run/\n",
                         define};

}  // namespace moescope::cli

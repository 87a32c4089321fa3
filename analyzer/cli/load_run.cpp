// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/load_run.h"

#include "analyzer/cli/progress_bar.h"
#include "analyzer/import/importer.h"
#include "analyzer/stage/model_from_names.h"

namespace moescope::cli {

Trace load(const std::vector<std::string>& paths, const std::string& format, bool salvage, const Global& global) {
  ProgressBar bar("reading", global.quiet);
  ImportOptions options;
  options.salvage = salvage;
  options.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  return load_trace(paths, format, options);
}

LoadedRun load_run(const std::vector<std::string>& paths, const ScopeOptions& scope, const RuleSet& rules, bool salvage,
                   const Global& global) {
  const Scope wanted = scope.scope();  // wrong words are found before anything is read
  const Definition definition = scope.definition();
  const Per per = scope.per();
  LoadedRun run{load(paths, "auto", salvage, global), {}, {}};
  complete_model(run.trace);
  run.attribution = attribute(run.trace, rules);
  run.analysis = analyze(run.trace, run.attribution, wanted, definition, per);
  return run;
}

}  // namespace moescope::cli

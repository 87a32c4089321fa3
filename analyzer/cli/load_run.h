#pragma once
// SPDX-License-Identifier: Apache-2.0
// From paths to an analysis, with a progress bar: what report, compare and gate begin with.

#include <string>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/cli/scope_options.h"
#include "analyzer/metric/analysis.h"
#include "analyzer/stage/rule_set.h"

namespace moescope::cli {

struct LoadedRun {
  Trace trace;
  Attribution attribution;
  Analysis analysis;
};
// Throw TraceError, load_run also UsageError.
Trace load(const std::vector<std::string>& paths, const std::string& format, bool salvage, const Global& global);
LoadedRun load_run(const std::vector<std::string>& paths, const ScopeOptions& scope, const RuleSet& rules, bool salvage,
                   const Global& global);

}  // namespace moescope::cli

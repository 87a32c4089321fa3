// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/compare_runs.h"

#include "analyzer/cli/load_run.h"
#include "analyzer/compare/structural_match.h"
#include "analyzer/model/trace_error.h"

namespace moescope::cli {
namespace {

std::vector<RunSample> samples(const std::vector<std::string>& paths, const ScopeOptions& scope, const RuleSet& rules,
                               const Global& global) {
  std::vector<RunSample> runs;
  for (const std::string& path : paths) {
    const LoadedRun run = load_run({path}, scope, rules, false, global);  // only its figures are kept
    runs.push_back(run_sample(run.trace, run.analysis, path));
  }
  return runs;
}

}  // namespace

GateResult compare_runs(const std::vector<std::string>& base, const std::vector<std::string>& head,
                        const ScopeOptions& scope, const RuleSet& stage_rules, std::span<const GateRule> rules,
                        const Global& global) {
  const std::vector<RunSample> base_runs = samples(base, scope, stage_rules, global);
  const std::vector<RunSample> head_runs = samples(head, scope, stage_rules, global);
  if (const auto mismatch = structural_mismatch(base_runs, head_runs))
    throw TraceError(mismatch->run, "", mismatch->trouble, "compare runs of the same job");
  return gate(base_runs, head_runs, rules);
}

}  // namespace moescope::cli

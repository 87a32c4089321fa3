#pragma once
// SPDX-License-Identifier: Apache-2.0
// Two sets of runs, loaded one after the other and held against each other's structure.

#include <string>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/cli/scope_options.h"
#include "analyzer/compare/gate.h"
#include "analyzer/stage/rule_set.h"

namespace moescope::cli {

// Each path is a run of its own. Throws TraceError (unreadable, or runs that can't be compared) and UsageError.
GateResult compare_runs(const std::vector<std::string>& base, const std::vector<std::string>& head,
                        const ScopeOptions& scope, const RuleSet& stage_rules, std::span<const GateRule> rules,
                        const Global& global);

}  // namespace moescope::cli

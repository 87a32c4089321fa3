#pragma once
// SPDX-License-Identifier: Apache-2.0
// The gate's rules as a user writes them (TOML):
//
//   [[rule]]
//   metric = "step_ns"        # step_ns, exposed_comm_ns, hidden_fraction, stage_time_ns, stage_exposed_ns
//   stage  = "combine"        # stage figures only; left out: every stage
//   pass   = "forward"        # likewise
//   budget = 0.02             # 2 % of the base's step time; for hidden_fraction 2 points
//
// They come after the default rules and replace them for the figures they name. `defaults = false` at the top leaves
// the default rules out.

#include <string>
#include <vector>

#include "analyzer/compare/gate.h"
#include "analyzer/model/trace_error.h"

namespace moescope {

// Throws TraceError naming the file and line; an unknown key or word names the nearest right one.
std::vector<GateRule> read_rule_file(const std::string& path);
std::vector<GateRule> parse_rules(const std::string& text, const std::string& path);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `moescope compare` and `moescope gate` say: as text, as JSON ("moescope.gate/1") and as Markdown for a pull
// request.

#include <string>

#include "analyzer/compare/gate.h"
#include "analyzer/report/report.h"

namespace moescope {

std::string gate_text(const GateResult& result, const TextStyle& style, bool judge);  // judge: say pass or regress
std::string gate_json(const GateResult& result, const std::string& tool_version);
std::string gate_markdown(const GateResult& result);

}  // namespace moescope

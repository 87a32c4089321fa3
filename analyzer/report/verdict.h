#pragma once
// SPDX-License-Identifier: Apache-2.0
// The sentence a report opens with: how much communication is exposed, what share of the step that is, how much is
// hidden.

#include <string>

#include "analyzer/metric/analysis.h"

namespace moescope {

std::string verdict_sentence(const Analysis& analysis);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The sentence a report opens with: how much communication is exposed, what share of the step that is, how much is
// hidden.

#include <string>

#include "analyzer/metric/analysis.h"

namespace moescope {

std::string verdict_sentence(const Trace& trace, const Analysis& analysis);
// Some device launches its exchanges in halves: what is hidden of their kernels is not what is hidden of the transfers.
bool split_phases(const Analysis& analysis);
// What control time is and how much of communication it is; empty where that is little.
std::string control_sentence(const Analysis& analysis);

}  // namespace moescope

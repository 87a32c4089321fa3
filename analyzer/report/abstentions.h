#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a report can't say, and why: every metric that abstained somewhere, and the sections that this version doesn't
// fill. Each pair of metric and reason stands once.

#include <string>
#include <vector>

#include "analyzer/metric/metrics.h"

namespace moescope {

struct Abstention {
  std::string metric, reason;
};
std::vector<Abstention> abstentions(const Trace& trace, const Analysis& analysis);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a report can't say, and why: every metric that abstained somewhere, and every section that has
// nothing to say. Each pair of metric and reason stands once.

#include <string>
#include <vector>

#include "analyzer/metric/metrics.h"
#include "analyzer/report/report.h"

namespace moescope {

struct Abstention {
  std::string metric, reason;
};
std::vector<Abstention> abstentions(const ReportInput& input);

}  // namespace moescope

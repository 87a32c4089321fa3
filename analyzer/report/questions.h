#pragma once
// SPDX-License-Identifier: Apache-2.0
// The five questions an engineer asks first, answered from the analysis or not at all.

#include <string>
#include <vector>

#include "analyzer/metric/metrics.h"
#include "analyzer/model/answer.h"

namespace moescope {

struct Evidence {
  std::string metric;
  double value = 0;
};
struct Question {
  std::string id, text;
  Answer<std::string> answer = Abstained{};
  std::vector<Evidence> evidence;
};

// Always five, in the order they are asked: bottleneck, ratio, tiers, routing, communication SMs.
std::vector<Question> questions(const Trace& trace, const Attribution& attribution, const Analysis& analysis);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a token should become, in double and straight line: no permutation, no ranks, no waves, no packed matrices,
// weights made anew. The reference everything else is held against.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "reference_kernels/model_values.h"
#include "reference_kernels/routing.h"

namespace moescope::reference {

class Oracle {
 public:
  // routings: one a round, step-major.
  Oracle(const MoeShape& shape, const ModelValues& values, const std::vector<Routing>& routings)
      : shape_(shape), values_(values), routings_(routings) {}

  std::vector<double> input(std::int64_t global_token) const;
  // The token after all layers of a step.
  std::vector<double> output(int step, std::int64_t global_token);

 private:
  struct Expert {
    std::vector<float> gate, up, down;  // row-major
  };
  const Expert& expert(int layer, int index);
  void add_layer(int round, std::int64_t global_token, std::vector<double>& x);

  const MoeShape& shape_;
  const ModelValues& values_;
  const std::vector<Routing>& routings_;
  std::map<std::pair<int, int>, Expert> experts_;  // those that were needed
};

}  // namespace moescope::reference

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
  // routings: [step][layer], of all tokens of a step.
  Oracle(const MoeShape& shape, const ModelValues& values, const std::vector<Routing>& routings)
      : shape_(shape), values_(values), routings_(routings) {}

  std::vector<double> input(std::int64_t global_token) const;
  // The token after all layers of a step.
  std::vector<double> output(int step, std::int64_t global_token);
  // The gradient of the loss by the token's input, from the one the job begins with.
  std::vector<double> input_gradient(int step, std::int64_t global_token);

 private:
  struct Expert {
    std::vector<float> gate, up, down;  // row-major
  };
  const Expert& expert(int layer, int index);
  const std::pair<std::vector<float>, std::vector<float>>& dense(int layer);
  // x becomes what the layer makes of it; seen, where given: what its experts see.
  void add_layer(int step, int layer, std::int64_t global_token, std::vector<double>& x, std::vector<double>* seen);
  // sum += weight * expert(x)
  void add_expert(const Expert& expert, double weight, const std::vector<double>& x, std::vector<double>& sum);
  void add_expert_gradient(const Expert& expert, double weight, const std::vector<double>& x,
                           const std::vector<double>& by_result, std::vector<double>& sum);

  const MoeShape& shape_;
  const ModelValues& values_;
  const std::vector<Routing>& routings_;
  std::map<std::pair<int, int>, Expert> experts_;  // those that were needed
  std::map<int, std::pair<std::vector<float>, std::vector<float>>> dense_;
};

}  // namespace moescope::reference

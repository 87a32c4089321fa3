// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/oracle_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "reference_kernels/counter_random.h"

namespace moescope::reference {
namespace {
constexpr double kOracleFlops = 5e8;  // about a second of a plain loop in double
}

namespace {
class BitSum {
 public:
  void add(const std::vector<float>& values) {
    for (float value : values) sum_ = mix_bits(sum_ + 0x9e3779b97f4a7c15u + std::bit_cast<std::uint32_t>(value));
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

// Sum of squares of a - b, and of b - base.
struct Distance {
  double error = 0, size = 0;
  void add(const float* job, const std::vector<double>& oracle, const std::vector<double>& base) {
    for (std::size_t i = 0; i < oracle.size(); ++i) {
      error += std::pow(double{job[i]} - oracle[i], 2);
      size += std::pow(oracle[i] - base[i], 2);
    }
  }
  double relative() const { return std::sqrt(error / size); }
};
}  // namespace

std::uint64_t checksum(const Workspace& workspace, const MoeShape& shape, int steps) {
  BitSum bits;
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < shape.ranks; ++rank)
      bits.add(workspace.rank(rank).output[static_cast<std::size_t>(step)]);
  }
  if (workspace.rank(0).gradients.empty()) return bits.sum();
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < shape.ranks; ++rank)
      bits.add(workspace.rank(rank).gradient_input[static_cast<std::size_t>(step)]);
  }
  for (int layer = 0; layer < shape.layers; ++layer) {
    for (int rank = 0; rank < shape.ranks; ++rank) {
      for (const ExpertGradients& expert : workspace.rank(rank).gradients[static_cast<std::size_t>(layer)].experts) {
        bits.add(expert.gate);
        bits.add(expert.up);
        bits.add(expert.down);
      }
    }
    for (int rank = 0; rank < shape.ranks; ++rank)
      bits.add(workspace.rank(rank).gradients[static_cast<std::size_t>(layer)].reduced);
  }
  return bits.sum();
}

OracleVerdict check_against_oracle(const Workspace& workspace, const MoeShape& shape, int steps,
                                   const ModelValues& values, const std::vector<Routing>& routings) {
  const bool backward = !workspace.rank(0).gradients.empty();
  const std::int64_t per_step = std::int64_t{shape.tokens} * shape.ranks, all = per_step * steps;
  const double experts = shape.top_k + shape.shared_experts;
  const double flops_per_token =
      (6.0 * shape.intermediate * experts + 4.0 * shape.dense) * shape.hidden * shape.layers * (backward ? 4 : 1);
  const auto affordable = static_cast<std::int64_t>(std::max(16.0, kOracleFlops / flops_per_token));
  const std::int64_t tokens = std::min(all, affordable);
  Oracle oracle(shape, values, routings);
  Distance forward, gradient;
  for (std::int64_t i = 0; i < tokens; ++i) {
    const std::int64_t at = i * all / tokens;
    const int step = static_cast<int>(at / per_step);
    const std::int64_t token = at % per_step;
    const RankBuffers& buffers = workspace.rank(static_cast<int>(token / shape.tokens));
    const std::ptrdiff_t first = token % shape.tokens * shape.hidden;
    forward.add(buffers.output[static_cast<std::size_t>(step)].data() + first, oracle.output(step, token),
                oracle.input(token));
    if (!backward) continue;
    const float* given = buffers.gradient_output.data() + first;
    gradient.add(buffers.gradient_input[static_cast<std::size_t>(step)].data() + first,
                 oracle.input_gradient(step, token), std::vector<double>(given, given + shape.hidden));
  }
  return {forward.relative(), backward ? std::optional(gradient.relative()) : std::nullopt, tokens};
}

}  // namespace moescope::reference

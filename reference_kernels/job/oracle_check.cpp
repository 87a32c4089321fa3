// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/oracle_check.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference_kernels/counter_random.h"

namespace moescope::reference {
namespace {
constexpr double kOracleFlops = 5e8;  // about a second of a plain loop in double
}

std::uint64_t checksum(const Workspace& workspace, const MoeShape& shape, int steps) {
  std::uint64_t sum = 0;
  for (int step = 0; step < steps; ++step) {
    for (int rank = 0; rank < shape.ranks; ++rank) {
      for (float value : workspace.rank(rank).output[static_cast<std::size_t>(step)]) {
        sum = mix_bits(sum + 0x9e3779b97f4a7c15u + std::bit_cast<std::uint32_t>(value));
      }
    }
  }
  return sum;
}

OracleVerdict check_against_oracle(const Workspace& workspace, const MoeShape& shape, int steps,
                                   const ModelValues& values, const std::vector<Routing>& routings) {
  const std::int64_t per_step = std::int64_t{shape.tokens} * shape.ranks, all = per_step * steps;
  const double flops_per_token = 6.0 * shape.hidden * shape.intermediate * shape.top_k * shape.layers;
  const auto affordable = static_cast<std::int64_t>(std::max(16.0, kOracleFlops / flops_per_token));
  const std::int64_t tokens = std::min(all, affordable);
  Oracle oracle(shape, values, routings);
  double error = 0, size = 0;
  for (std::int64_t i = 0; i < tokens; ++i) {
    const std::int64_t at = i * all / tokens;
    const auto step = static_cast<int>(at / per_step);
    const std::int64_t token = at % per_step;
    const std::vector<double> before = oracle.input(token), after = oracle.output(step, token);
    const auto& output = workspace.rank(static_cast<int>(token / shape.tokens)).output[static_cast<std::size_t>(step)];
    const std::size_t first = static_cast<std::size_t>(token % shape.tokens) * before.size();
    for (std::size_t j = 0; j < before.size(); ++j) {
      error += std::pow(double{output[first + j]} - after[j], 2);
      size += std::pow(after[j] - before[j], 2);
    }
  }
  return {std::sqrt(error / size), tokens};
}

}  // namespace moescope::reference

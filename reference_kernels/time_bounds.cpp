// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/time_bounds.h"

#include <algorithm>

namespace moescope::reference {
namespace {
std::array<double, kStages> stage_sums(const Durations& durations, int round, int rank) {
  std::array<double, kStages> sums{};
  for (Stage stage : kAllStages) {
    for (int part = 0; part < durations.parts()[stage]; ++part) {
      sums[static_cast<std::size_t>(stage)] += durations.at(round, rank, {stage, part});
    }
  }
  return sums;
}
}  // namespace

double serial_ns(const Durations& durations, double link_latency_ns) {
  double total = 0;
  for (int round = 0; round < durations.rounds(); ++round) {
    std::array<double, kStages> slowest{};
    for (int rank = 0; rank < durations.ranks(); ++rank) {
      const auto sums = stage_sums(durations, round, rank);
      for (std::size_t s = 0; s < kStages; ++s) slowest[s] = std::max(slowest[s], sums[s]);
    }
    for (double stage : slowest) total += stage;
    total += 2 * link_latency_ns;
  }
  return total;
}

double bound_ns(const Durations& durations, const EngineMap& engines, int compute_workers) {
  double total = 0;
  for (int round = 0; round < durations.rounds(); ++round) {
    double busiest = 0;
    for (int rank = 0; rank < durations.ranks(); ++rank) {
      const auto sums = stage_sums(durations, round, rank);
      std::array<double, 4> busy{};
      for (Stage stage : kAllStages) {
        const int workers = engines.engine(stage) == engines.engine(Stage::kL1) ? compute_workers : 1;
        busy[static_cast<std::size_t>(engines.engine(stage))] += sums[static_cast<std::size_t>(stage)] / workers;
      }
      busiest = std::max(busiest, *std::max_element(busy.begin(), busy.end()));
    }
    total += busiest;
  }
  return total;
}

}  // namespace moescope::reference

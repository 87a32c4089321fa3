// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/time_bounds.h"

#include <algorithm>
#include <vector>

namespace moescope::reference {
namespace {

using StageTimesNs = std::array<double, kStages>;

int workers_of(const StepPlan& plan, Stage stage) {
  const EngineMap& engines = plan.engines();
  return engines.engine(stage) == engines.engine(Stage::kL1) ? plan.shape().compute_workers : 1;
}

StageTimesNs stage_times(const StepPlan& plan, const Durations& durations, int round, int rank) {
  StageTimesNs sums{};
  for (Stage stage : kAllStages) {
    for (int part = 0; part < durations.parts()[stage]; ++part) {
      sums[static_cast<std::size_t>(stage)] += durations.at(round, rank, {stage, part}) / workers_of(plan, stage);
    }
  }
  return sums;
}

}  // namespace

double serial_ns(const StepPlan& plan, const Durations& durations, double link_latency_ns) {
  double total = 0;
  for (int round = 0; round < durations.rounds(); ++round) {
    StageTimesNs slowest{};
    for (int rank = 0; rank < durations.ranks(); ++rank) {
      const StageTimesNs times = stage_times(plan, durations, round, rank);
      for (std::size_t s = 0; s < kStages; ++s) slowest[s] = std::max(slowest[s], times[s]);
    }
    for (double stage : slowest) total += stage;
    total += (plan.round(round % plan.rounds()).all_reduce ? 3 : 2) * link_latency_ns;
  }
  return total;
}

double bound_ns(const StepPlan& plan, const Durations& durations) {
  const bool in_turn = plan.shape().in_flight == 1 && !plan.shape().backward;
  const int together = in_turn ? 1 : plan.rounds();
  double total = 0;
  for (int first = 0; first < durations.rounds(); first += together) {
    double busiest = 0;
    for (int rank = 0; rank < durations.ranks(); ++rank) {
      std::array<double, 4> busy{};
      for (int round = first; round < first + together; ++round) {
        const StageTimesNs times = stage_times(plan, durations, round, rank);
        for (Stage stage : kAllStages) {
          busy[static_cast<std::size_t>(plan.engines().engine(stage))] += times[static_cast<std::size_t>(stage)];
        }
      }
      busiest = std::max(busiest, *std::max_element(busy.begin(), busy.end()));
    }
    total += busiest;
  }
  return total;
}

}  // namespace moescope::reference

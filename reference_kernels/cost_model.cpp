// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cost_model.h"

namespace moescope::reference {
namespace {
double overhead_ns(const Overheads& overheads, Stage stage) {
  if (is_link_stage(stage)) return overheads.link_us * 1e3;
  return stage == Stage::kL1 ? overheads.alpha_us * 1e3 : 0.0;
}
}  // namespace

Durations CostModel::durations(const Volumes& volumes) const {
  Durations durations(volumes.rounds(), volumes.ranks(), volumes.waves());
  volumes.for_each([&](int round, int rank, Task task, const Volume& volume) {
    double ns = static_cast<double>(volume.bytes) / link_bytes_per_second * 1e9 +
                static_cast<double>(volume.flops) / flops_per_second * 1e9;
    if (task.stage == Stage::kAct) {
      const auto flops = volumes.at(round, rank, {Stage::kL1, task.wave}).flops +
                         volumes.at(round, rank, {Stage::kL2, task.wave}).flops;
      ns = activation_share * static_cast<double>(flops) / flops_per_second * 1e9;
    }
    durations.at(round, rank, task) = ns + overhead_ns(overheads, task.stage);
  });
  return durations;
}

Durations durations_of(const StageTimes& times, const WavePartition& waves, const Overheads& overheads, int rounds) {
  const std::array<double, kStages> whole{times.dispatch_us, times.l1_us, times.act_us, times.l2_us, times.combine_us};
  Durations durations(rounds, 1, waves.waves());
  for (int round = 0; round < rounds; ++round) {
    for (Stage stage : kAllStages) {
      for (int wave = 0; wave < waves.waves(); ++wave) {
        durations.at(round, 0, {stage, wave}) =
            whole[static_cast<std::size_t>(stage)] * 1e3 * waves.size(wave) / waves.local_experts() +
            overhead_ns(overheads, stage);
      }
    }
  }
  return durations;
}

}  // namespace moescope::reference

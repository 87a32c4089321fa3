// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cost_model.h"

namespace moescope::reference {
namespace {
double overhead_ns(const Overheads& overheads, const Tiling& tiling, Stage stage) {
  if (is_link_stage(stage)) return overheads.link_us * 1e3;
  return stage == Stage::kL1 || (stage == Stage::kL2 && tiling.l2_apart()) ? overheads.alpha_us * 1e3 : 0.0;
}
}  // namespace

Durations CostModel::durations(const Volumes& volumes, const Tiling& tiling, const StepPlan& plan) const {
  Durations durations(volumes.rounds(), volumes.ranks(), volumes.parts());
  const double worker_flops = flops_per_second / compute_workers;
  for (int step = 0; step < volumes.rounds() / plan.rounds(); ++step) {
    plan.for_each([&](int of_step, Task task) {
      const int round = step * plan.rounds() + of_step;
      for (int rank = 0; rank < volumes.ranks(); ++rank) {
        const Volume& volume = volumes.at(round, rank, task);
        double ns = static_cast<double>(volume.bytes) / link_bytes_per_second * 1e9 +
                    static_cast<double>(volume.flops) / worker_flops * 1e9;
        if (task.stage == Stage::kAct) {
          // L1 is cut as the activation is, or finer; the whole expert takes 1.5 times its FLOPs forward (gate, up,
          // then down), 3 times backward.
          const double whole = plan.round(of_step).direction == Direction::kForward ? 1.5 : 3;
          const int parts = volumes.parts()[Stage::kL1] / volumes.parts()[Stage::kAct];
          double flops = 0;
          for (int part = task.part * parts; part < (task.part + 1) * parts; ++part) {
            flops += whole * static_cast<double>(volumes.at(round, rank, {Stage::kL1, part}).flops);
          }
          ns = activation_share * flops / worker_flops * 1e9;
        }
        durations.at(round, rank, task) = ns + overhead_ns(overheads, tiling, task.stage);
      }
    });
  }
  return durations;
}

Durations durations_of(const StageTimes& times, const Tiling& tiling, const Overheads& overheads, int rounds,
                       int compute_workers) {
  const std::array<double, kStages> whole{times.dispatch_us, times.l1_us, times.act_us, times.l2_us, times.combine_us};
  Durations durations(rounds, 1, StageParts::of(tiling));
  for (int round = 0; round < rounds; ++round) {
    for (Stage stage : kMoeStages) {
      const double stage_ns =
          whole[static_cast<std::size_t>(stage)] * 1e3 * (is_link_stage(stage) ? 1 : compute_workers);
      for (int part = 0; part < tiling.parts(stage); ++part) {
        durations.at(round, 0, {stage, part}) =
            stage_ns * tiling.share({stage, part}) + overhead_ns(overheads, tiling, stage);
      }
    }
  }
  return durations;
}

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
// What the executor itself costs: tasks of no length through the simulator, and through threads with their flags; and
// how near paced runs come to their ideal.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "reference_kernels/cost_model.h"
#include "reference_kernels/cpu/paced_time.h"
#include "reference_kernels/cpu/run_threads.h"
#include "reference_kernels/cpu/thread_backend.h"
#include "reference_kernels/schedule/schedules.h"
#include "reference_kernels/virtual_backend.h"

using namespace moescope::reference;

namespace {

constexpr int kWaves = 4;

double threads_ns(const Durations& durations) {
  const int count = durations.parts()[Stage::kL1];
  StepShape shape;
  shape.layers = durations.rounds();
  const Tiling tiling = Tiling::waves(count, count);
  const StepPlan plan(tiling.schedule(kLinkCompute), shape);
  RunFacts facts;
  facts.shape.ranks = durations.ranks();
  facts.has_work = false;
  const Lanes lanes(plan.engines());
  const Volumes volumes(durations.rounds(), durations.ranks(), plan.parts());
  const std::vector<ExpertRows> rows;
  const Recording recording(facts, plan, lanes, tiling, volumes, rows);
  PacedTime pace(durations, lanes.total());
  ThreadBackend backend(pace, recording, plan, 1, durations.ranks(), lanes, 0);
  run_on_threads(plan, backend, recording, lanes, durations.ranks(), 1);
  double end_ns = 0;
  backend.timeline().for_each([&](int, int, Task, const Stamp& stamp) { end_ns = std::max(end_ns, stamp.end_ns); });
  return end_ns;
}

}  // namespace

int main() {
  const double tasks_a_round = kMoeStageCount * kWaves;
  for (int ranks : {1, 2, 4, 8}) {
    const Durations none(200, ranks, StageParts::of(WaveSchedule{{kWaves, kWaves}}));
    const std::int64_t begin = MonotonicClock::now_ns();
    simulated_makespan_ns(WaveSchedule{{kWaves, kWaves}}, none, 0);
    const auto simulated = static_cast<double>(MonotonicClock::now_ns() - begin);
    std::printf("%d ranks: simulator %6.0f ns a task, threads %7.0f ns a task\n", ranks,
                simulated / (200 * tasks_a_round * ranks), threads_ns(none) / (200 * tasks_a_round * ranks));
  }
  // G = D + C = 20 ms, D:C = 1:2, L1:L2 = 2:1, activation 5 %.
  const StageTimes times{20e3 / 3, 19e3 * 2 / 3, 1e3, 19e3 / 3, 40e3 / 3};
  for (int ranks : {1, 2, 4}) {
    for (int waves : {2, 4, 8, 16}) {
      const Durations one = durations_of(times, Tiling::waves(waves, waves), {}, 10);
      Durations all(10, ranks, one.parts());
      one.for_each([&](int round, int, Task task, double ns) {
        for (int rank = 0; rank < ranks; ++rank) all.at(round, rank, task) = ns;
      });
      const double ideal = simulated_makespan_ns(WaveSchedule{{waves, waves}}, all, 0);
      std::printf("%d ranks, %2d waves: paced achieves %.4f of its ideal\n", ranks, waves, ideal / threads_ns(all));
    }
  }
  return 0;
}

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs a few layers with given routing, and returns every output token: step by step, in global token order.
#include <cmath>
#include <vector>

#include "reference_kernels/cpu/real_time.h"
#include "reference_kernels/cpu/run_threads.h"
#include "reference_kernels/cpu/stage_work.h"
#include "reference_kernels/cpu/thread_backend.h"
#include "reference_kernels/oracle.h"
#include "reference_kernels/schedule/schedules.h"
#include "reference_kernels/virtual_backend.h"

namespace moescope::reference::test {

struct SmallLayer {
  MoeShape shape;
  int steps = 1;
  Dtype dtype = Dtype::kFp32;
  std::vector<Routing> routings;  // a round each
  std::uint64_t seed = 3;
  GemmPath path = best_gemm_path();

  std::vector<Routing> route(const RoutingSpec& spec) {
    routings.clear();
    const Router router(shape, spec, seed);
    for (int round = 0; round < steps * shape.layers; ++round) {
      routings.push_back(router.route(round / shape.layers, round % shape.layers));
    }
    return routings;
  }

  std::vector<float> run(const Tiling& tiling, const EngineMap& engines = kLinkCompute, bool on_threads = false,
                         int workers = 1) const {
    const ModelValues values(shape, dtype, seed);
    std::vector<ExchangePlan> plans;
    for (const Routing& routing : routings) plans.emplace_back(shape, tiling, routing);
    Workspace workspace(shape, steps, dtype, values, plans);
    StageWork work(shape, tiling, plans, routings, workspace, path);
    const int rounds = static_cast<int>(routings.size());
    const Durations durations(rounds, shape.ranks, StageParts::of(tiling));
    const Lanes lanes(engines, workers);
    std::visit(
        [&](const auto& schedule) {
          if (!on_threads) {
            VirtualBackend backend(durations, 0, lanes,
                                   [&](int round, int rank, Task task) { work.run(round, rank, task, nullptr); });
            return run_cooperatively(schedule, backend, shape.ranks, rounds);
          }
          RunFacts facts;
          facts.shape = shape;
          facts.has_work = false;
          const Volumes volumes(rounds, shape.ranks, StageParts::of(tiling));
          const std::vector<ExpertRows> rows;
          const Recording recording(facts, engines, lanes, tiling, volumes, rows);
          RealTime pace(work, shape.ranks, lanes.total(), 100e9);
          ThreadBackend backend(pace, recording, rounds, shape.layers, shape.ranks, lanes, durations.parts(), 1000.0);
          run_on_threads(schedule, backend, recording, lanes, shape.ranks, rounds);
        },
        tiling.schedule(engines));
    std::vector<float> out;
    for (int step = 0; step < steps; ++step) {
      for (int rank = 0; rank < shape.ranks; ++rank) {
        const auto& tokens = workspace.rank(rank).output[static_cast<std::size_t>(step)];
        out.insert(out.end(), tokens.begin(), tokens.end());
      }
    }
    return out;
  }

  // Of all tokens of all steps: |out - oracle| / |oracle - input|.
  double distance_to_oracle(const std::vector<float>& out) const {
    const ModelValues values(shape, dtype, seed);
    Oracle oracle(shape, values, routings);
    double error = 0, size = 0;
    std::size_t i = 0;
    for (int step = 0; step < steps; ++step) {
      for (int token = 0; token < shape.tokens * shape.ranks; ++token) {
        const std::vector<double> before = oracle.input(token), after = oracle.output(step, token);
        for (std::size_t j = 0; j < after.size(); ++j, ++i) {
          error += std::pow(double{out[i]} - after[j], 2);
          size += std::pow(after[j] - before[j], 2);
        }
      }
    }
    return std::sqrt(error / size);
  }
};

}  // namespace moescope::reference::test

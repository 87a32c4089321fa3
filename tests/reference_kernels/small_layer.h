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
  MoeShape shape;  // tokens: of a whole step
  int steps = 1;
  Dtype dtype = Dtype::kFp32;
  StepShape step;                 // layers, dense and shared are taken from the shape
  std::vector<Routing> routings;  // [step][layer]
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

  struct Outcome {
    std::vector<float> tokens;      // outputs, step by step, in global token order
    std::vector<float> gradients;   // by the inputs, likewise
    std::vector<float> parameters;  // gradients of all weights, the last step's, layer by layer, rank by rank
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };

  std::vector<float> run(const Tiling& tiling, const EngineMap& engines = kLinkCompute, bool on_threads = false,
                         int workers = 1) const {
    return run_all(tiling, engines, on_threads, workers).tokens;
  }

  Outcome run_all(const Tiling& tiling, const EngineMap& engines = kLinkCompute, bool on_threads = false,
                  int workers = 1) const {
    const ModelValues values(shape, dtype, seed);
    StepShape full = step;
    full.layers = shape.layers;
    full.dense = shape.dense > 0;
    full.shared = shape.shared_experts > 0;
    full.compute_workers = workers;
    const StepPlan plan(tiling.schedule(engines), full);
    MoeShape batch_shape = shape;
    batch_shape.tokens /= full.micro_batches;
    std::vector<Routing> of_batches;
    std::vector<ExchangePlan> exchanges;
    for (int s = 0; s < steps; ++s) {
      for (int batch = 0; batch < full.micro_batches; ++batch) {
        for (int layer = 0; layer < shape.layers; ++layer) {
          of_batches.push_back(micro_batch_of(shape, routings[static_cast<std::size_t>(s * shape.layers + layer)],
                                              batch, full.micro_batches));
          exchanges.emplace_back(batch_shape, tiling, of_batches.back());
        }
      }
    }
    Workspace workspace(shape, full, steps, dtype, values, exchanges);
    StageWork work(shape, plan, tiling, exchanges, of_batches, workspace, path);
    const int rounds = steps * plan.rounds();
    const Durations durations(rounds, shape.ranks, plan.parts());
    const Lanes lanes(engines, workers);
    if (!on_threads) {
      VirtualBackend backend(plan, durations, 0, lanes,
                             [&](int round, int rank, Task task) { work.run(round, rank, task, nullptr); });
      run_cooperatively(plan, backend, shape.ranks, steps);
    } else {
      RunFacts facts;
      facts.shape = shape;
      facts.has_work = false;
      const Volumes volumes(rounds, shape.ranks, plan.parts());
      const std::vector<ExpertRows> rows;
      const Recording recording(facts, plan, lanes, tiling, volumes, rows);
      RealTime pace(work, shape.ranks, lanes.total(), 100e9);
      ThreadBackend backend(pace, recording, plan, steps, shape.ranks, lanes, 1000.0);
      run_on_threads(plan, backend, recording, lanes, shape.ranks, steps);
    }
    Outcome out;
    const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (int s = 0; s < steps; ++s) {
      for (int rank = 0; rank < shape.ranks; ++rank) {
        append(out.tokens, workspace.rank(rank).output[static_cast<std::size_t>(s)]);
        if (full.backward) append(out.gradients, workspace.rank(rank).gradient_input[static_cast<std::size_t>(s)]);
      }
    }
    for (int layer = 0; full.backward && layer < shape.layers; ++layer) {
      for (int rank = 0; rank < shape.ranks; ++rank) {
        const LayerGradients& g = workspace.rank(rank).gradients[static_cast<std::size_t>(layer)];
        for (const ExpertGradients& e : g.experts)
          append(out.parameters, e.gate), append(out.parameters, e.up), append(out.parameters, e.down);
        for (const auto* side : {&g.shared.gate, &g.shared.up, &g.shared.down, &g.dense.in, &g.dense.out, &g.reduced})
          append(out.parameters, *side);
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
    for (int s = 0; s < steps; ++s) {
      for (int token = 0; token < shape.tokens * shape.ranks; ++token) {
        const std::vector<double> before = oracle.input(token), after = oracle.output(s, token);
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

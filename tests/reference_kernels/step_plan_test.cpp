// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/step_plan.h"

#include <string>

#include "reference_kernels/tiling.h"
#include "reference_kernels/virtual_backend.h"
#include "tests/support/catch.h"

using namespace moescope::reference;

namespace {

// "F0.1 D" = forward, micro-batch 0, layer 1, dispatch.
std::vector<std::string> order(const StepPlan& plan, int engine) {
  constexpr const char* kNames[] = {"D", "L1", "A", "L2", "C", "dense", "shared", "w2", "w1", "wside", "allreduce"};
  std::vector<std::string> names;
  for (int i = 0; i < plan.tasks(engine); ++i) {
    const StepPlan::Entry& entry = plan.entry(engine, i);
    const Round& round = plan.round(entry.round);
    names.push_back((round.direction == Direction::kForward ? "F" : "B") + std::to_string(round.micro_batch) + "." +
                    std::to_string(round.layer) + " " + kNames[static_cast<int>(entry.task.stage)]);
  }
  return names;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("two micro-batches in step: one's exchange stands beside the other's compute") {
  StepShape shape;
  shape.micro_batches = shape.in_flight = 2;
  shape.dense = true;
  const StepPlan plan(NaiveSchedule{}, shape);
  CHECK(order(plan, 0) == Names{"F0.0 D", "F1.0 D", "F0.0 C", "F1.0 C"});
  CHECK(order(plan, 1) ==
        Names{"F0.0 dense", "F1.0 dense", "F0.0 L1", "F0.0 A", "F0.0 L2", "F1.0 L1", "F1.0 A", "F1.0 L2"});
}

TEST_CASE("with a backward pass a micro-batch goes forward while the one before goes back") {
  StepShape shape;
  shape.micro_batches = shape.in_flight = shape.layers = 2;
  shape.backward = true;
  const StepPlan plan(NaiveSchedule{}, shape);
  CHECK(order(plan, 0) == Names{"F0.0 D", "F0.0 C", "F0.1 D", "F0.1 C", "F1.0 D", "B0.1 D", "F1.0 C", "F1.1 D",
                                "B0.1 C", "B0.0 D", "F1.1 C", "B0.0 C", "B1.1 D", "B1.1 C", "B1.0 D", "B1.0 C"});
}

TEST_CASE("gradients of weights come after the experts', dense ones after the way home, then their sum over ranks") {
  StepShape shape;
  shape.backward = shape.dense = shape.shared = shape.all_reduce = true;
  const StepPlan plan(NaiveSchedule{}, shape);
  CHECK(order(plan, 1) == Names{"F0.0 dense", "F0.0 shared", "F0.0 L1", "F0.0 A", "F0.0 L2", "B0.0 shared", "B0.0 L1",
                                "B0.0 A", "B0.0 L2", "B0.0 w2", "B0.0 w1", "B0.0 dense", "B0.0 wside"});
  CHECK(order(plan, 0) == Names{"F0.0 D", "F0.0 C", "B0.0 D", "B0.0 C", "B0.0 allreduce"});
}

TEST_CASE("two in flight hide an exchange as long as the compute: half the time of one after the other") {
  // Naive, so nothing hides within a micro-batch. Exchange 2 x 5 ms, experts 10 ms a micro-batch and layer.
  StepShape shape;
  shape.layers = 20;
  shape.micro_batches = 2;
  const auto makespan = [&](int in_flight) {
    shape.in_flight = in_flight;
    const StepPlan plan(NaiveSchedule{}, shape);
    Durations durations(plan.rounds(), 3, plan.parts());
    for (int round = 0; round < plan.rounds(); ++round) {
      for (int rank = 0; rank < 3; ++rank) {
        durations.at(round, rank, {Stage::kDispatch, 0}) = durations.at(round, rank, {Stage::kCombine, 0}) = 5;
        durations.at(round, rank, {Stage::kL1, 0}) = 10;
      }
    }
    return simulated_makespan_ns(plan, durations, 0);
  };
  CHECK(makespan(1) == Approx(2 * 20 * 20));
  // Perfect but for the first dispatch and the last combine.
  CHECK(makespan(2) == Approx(2 * 20 * 10 + 10).epsilon(0.03));
}

TEST_CASE("a schedule that blocks itself is an error, not a hang") {
  // The link's combine before its dispatches.
  EngineMap odd = kLinkCompute;
  odd.engine_of[static_cast<std::size_t>(Stage::kL1)] = 0;  // L1 on the link, walked as if on the compute engine
  CHECK_THROWS_AS(StepPlan(WaveSchedule{{2, 2}, 0, odd}, {}), std::logic_error);
}

TEST_CASE("every combination of passes, micro-batches and side work runs to its end") {
  for (int layers : {1, 3}) {
    for (int batches : {1, 2, 5}) {
      for (int bits = 0; bits < 16; ++bits) {
        StepShape shape;
        shape.layers = layers;
        shape.micro_batches = batches;
        shape.in_flight = batches > 1 && (bits & 1) ? 2 : 1;
        shape.backward = bits & 2;
        shape.dense = bits & 4;
        shape.shared = bits & 8;
        shape.all_reduce = shape.backward && (shape.dense || shape.shared);
        shape.compute_workers = layers;
        ScheduleCut cut;
        cut.cuts = {3, 2, 2, {}};
        cut.chunks = cut.slices = cut.warm_up = 2;
        cut.ring = shape.in_flight == 1 ? 2 : 0;
        for (const char* schedule : {"naive", "comet", "wave", "interleaved"}) {
          for (const EngineMap& engines : {kLinkCompute, kInComputeActOut}) {
            const StepPlan plan(Tiling(schedule, cut).schedule(engines), shape);  // throws where it would block
            int tasks = 0;
            plan.for_each([&](int, Task) { ++tasks; });
            CHECK(tasks == plan.tasks_in_all());
            CHECK(plan.rounds() == layers * batches * (shape.backward ? 2 : 1));
          }
        }
      }
    }
  }
}

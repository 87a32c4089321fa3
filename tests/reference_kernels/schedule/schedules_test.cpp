// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/schedule/schedules.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace moescope::reference;

namespace {

std::vector<std::string> walk(const AnySchedule& any, int engine) {
  constexpr const char* kNames[] = {"D", "L1", "A", "L2", "C"};
  std::vector<std::string> names;
  std::visit(
      [&](const auto& schedule) {
        for (int i = 0; i < schedule.size(engine); ++i) {
          const Task task = schedule.at(engine, i);
          names.push_back(std::string(kNames[static_cast<int>(task.stage)]) + "_" + std::to_string(task.wave));
        }
      },
      any);
  return names;
}
using Names = std::vector<std::string>;

// A walk that visits one task twice and another never; and one whose link would wait for itself.
struct Doubled : WaveSchedule {
  constexpr Task at(int engine, int index) const { return WaveSchedule::at(engine, index == 1 ? 0 : index); }
};
struct CombineFirst : WaveSchedule {
  constexpr Task at(int engine, int index) const {
    if (engine == 0) return {index % 2 == 0 ? Stage::kCombine : Stage::kDispatch, index / 2};
    return WaveSchedule::at(engine, index);
  }
};

}  // namespace

TEST_CASE("the wave schedule's order on each engine is the one it promises") {
  const AnySchedule two = WaveSchedule{3, kLinkCompute};
  CHECK(walk(two, 0) == Names{"D_0", "D_1", "D_2", "C_0", "C_1", "C_2"});
  CHECK(walk(two, 1) == Names{"L1_0", "A_0", "L2_0", "L1_1", "A_1", "L2_1", "L1_2", "A_2", "L2_2"});
  const AnySchedule four = WaveSchedule{3, kInComputeActOut};
  CHECK(walk(four, 0) == Names{"D_0", "D_1", "D_2"});
  CHECK(walk(four, 1) == Names{"L1_0", "L1_1", "L2_0", "L1_2", "L2_1", "L2_2"});
  CHECK(walk(four, 2) == Names{"A_0", "A_1", "A_2"});
  CHECK(walk(four, 3) == Names{"C_0", "C_1", "C_2"});
}

TEST_CASE("the naive schedule runs five stages and waits for all ranks before each") {
  const NaiveSchedule naive;
  CHECK(walk(naive, 0) == Names{"D_0", "C_0"});
  CHECK(walk(naive, 1) == Names{"L1_0", "A_0", "L2_0"});
  for (Stage stage : kAllStages) CHECK(naive.wait({stage, 0}).all_ranks);
  CHECK(naive.wait({Stage::kDispatch, 0}).previous_layer);
}

TEST_CASE("a wave's combine alone looks at other ranks, and the next layer's dispatch at their last combine") {
  const WaveSchedule wave{4, kLinkCompute};
  CHECK_FALSE(wave.wait({Stage::kL1, 2}).all_ranks);
  CHECK_FALSE(wave.wait({Stage::kL2, 2}).all_ranks);
  const Wait combine = wave.wait({Stage::kCombine, 2});
  CHECK((combine.all_ranks && !combine.previous_layer && combine.task == Task{Stage::kL2, 2}));
  const Wait dispatch = wave.wait({Stage::kDispatch, 1});
  CHECK((dispatch.all_ranks && dispatch.previous_layer && dispatch.task == Task{Stage::kCombine, 3}));
}

TEST_CASE("every number of waves visits each task once and runs to the end") {
  for (int waves = 1; waves <= 40; ++waves) {
    for (const EngineMap& engines : {kLinkCompute, kInComputeActOut}) {
      CHECK(visits_each_task_once(WaveSchedule{waves, engines}));
      CHECK(runs_to_the_end(WaveSchedule{waves, engines}));
    }
  }
}

TEST_CASE("the proofs refuse walks that are wrong") {
  CHECK_FALSE(visits_each_task_once(Doubled{{3, kLinkCompute}}));
  CHECK(visits_each_task_once(CombineFirst{{3, kLinkCompute}}));
  CHECK_FALSE(runs_to_the_end(CombineFirst{{3, kLinkCompute}}));
}

TEST_CASE("schedules are found by their listed names and no others") {
  for (const ScheduleName& schedule : kSchedules) CHECK(make_schedule(schedule.name, 2, kLinkCompute).has_value());
  CHECK_FALSE(make_schedule("comet", 2, kLinkCompute).has_value());
  CHECK_FALSE(make_schedule("", 2, kLinkCompute).has_value());
}

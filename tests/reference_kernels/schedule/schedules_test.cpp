// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/schedule/schedules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/reference_kernels/random_cases.h"
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
          names.push_back(std::string(kNames[static_cast<int>(task.stage)]) + "_" + std::to_string(task.part));
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
  const AnySchedule two = WaveSchedule{{3, 3}};
  CHECK(walk(two, 0) == Names{"D_0", "D_1", "D_2", "C_0", "C_1", "C_2"});
  CHECK(walk(two, 1) == Names{"L1_0", "A_0", "L2_0", "L1_1", "A_1", "L2_1", "L1_2", "A_2", "L2_2"});
  const AnySchedule four = WaveSchedule{{3, 3}, 0, kInComputeActOut};
  CHECK(walk(four, 0) == Names{"D_0", "D_1", "D_2"});
  CHECK(walk(four, 1) == Names{"L1_0", "L1_1", "L2_0", "L1_2", "L2_1", "L2_2"});
  CHECK(walk(four, 2) == Names{"A_0", "A_1", "A_2"});
  CHECK(walk(four, 3) == Names{"C_0", "C_1", "C_2"});
}

TEST_CASE("the naive schedule runs five stages and waits for all ranks before each") {
  const NaiveSchedule naive;
  CHECK(walk(naive, 0) == Names{"D_0", "C_0"});
  CHECK(walk(naive, 1) == Names{"L1_0", "A_0", "L2_0"});
  for (Stage stage : kMoeStages) {
    REQUIRE(naive.waits({stage, 0}).size() == 1);
    CHECK((naive.waits({stage, 0}).begin()->all_ranks && naive.waits({stage, 0}).begin()->whole_stage));
  }
  CHECK(naive.waits({Stage::kDispatch, 0}).begin()->previous_layer);
}

TEST_CASE("a wave's combine alone looks at other ranks, and the next layer's dispatch at their last combine") {
  const WaveSchedule wave{{4, 4}};
  const auto only = [&](Task task) {
    const Waits waits = wave.waits(task);
    REQUIRE(waits.size() == 1);
    return *waits.begin();
  };
  CHECK(only({Stage::kL1, 2}) == wait_for(Stage::kDispatch, 2));
  CHECK(only({Stage::kL2, 2}) == wait_for(Stage::kAct, 2));
  CHECK(only({Stage::kCombine, 2}) == wait_for_all_ranks(Stage::kL2, 2));
  CHECK(only({Stage::kDispatch, 1}) == wait_for_previous_layer());
}

TEST_CASE("every number of waves visits each task once and runs to the end") {
  for (int waves = 1; waves <= 40; ++waves) {
    for (const EngineMap& engines : {kLinkCompute, kInComputeActOut}) {
      CHECK(visits_each_task_once(WaveSchedule{{waves, waves}, 0, engines}));
      CHECK(runs_to_the_end(WaveSchedule{{waves, waves}, 0, engines}));
    }
  }
}

TEST_CASE("the proofs refuse walks that are wrong") {
  CHECK_FALSE(visits_each_task_once(Doubled{{{3, 3}}}));
  CHECK(visits_each_task_once(CombineFirst{{{3, 3}}}));
  CHECK_FALSE(runs_to_the_end(CombineFirst{{{3, 3}}}));
}

TEST_CASE("a ring holds a dispatch back until the part that was in its place has been read") {
  const WaveSchedule wave{{8, 4}, 2};
  CHECK(wave.waits({Stage::kDispatch, 1}).size() == 1);
  const Waits held = wave.waits({Stage::kDispatch, 3});
  REQUIRE(held.size() == 2);
  CHECK(held.begin()[1] == wait_for(Stage::kL1, 1));
  const InterleavedSchedule interleaved{6, 3, 2, 2};
  // All slices of block 1 read the same rows; the last is part 1 * 3 + 2.
  CHECK(interleaved.waits({Stage::kDispatch, 3}).begin()[1] == wait_for(Stage::kL1, 5));
}

TEST_CASE("comet: each half in chunks, the activation whole between them") {
  const AnySchedule comet = CometSchedule{3};
  CHECK(walk(comet, 0) == Names{"D_0", "D_1", "D_2", "C_0", "C_1", "C_2"});
  CHECK(walk(comet, 1) == Names{"L1_0", "L1_1", "L1_2", "A_0", "L2_0", "L2_1", "L2_2"});
}

TEST_CASE("blocks of a wave: L1 with its epilogue block by block, then L2, then the next wave") {
  const AnySchedule wave = WaveSchedule{{2, 2, 2}};
  CHECK(walk(wave, 1) ==
        Names{"L1_0", "A_0", "L1_1", "A_1", "L2_0", "L2_1", "L1_2", "A_2", "L1_3", "A_3", "L2_2", "L2_3"});
  const AnySchedule ahead = WaveSchedule{{2, 2, 2}, 0, kInComputeActOut};
  CHECK(walk(ahead, 1) == Names{"L1_0", "L1_1", "L1_2", "L1_3", "L2_0", "L2_1", "L2_2", "L2_3"});
  const WaveSchedule three{{3, 3, 2}};
  for (int block = 0; block < 6; ++block) CHECK(three.wave({Stage::kL2, block}) == block / 2);
}

TEST_CASE("interleaved: a warm-up of L1, then L2 and L1 in turn, slices of a block together") {
  const AnySchedule interleaved = InterleavedSchedule{4, 1, 2};
  CHECK(walk(interleaved, 1) ==
        Names{"L1_0", "A_0", "L1_1", "A_1", "L2_0", "L1_2", "A_2", "L2_1", "L1_3", "A_3", "L2_2", "L2_3"});
  const AnySchedule sliced = InterleavedSchedule{2, 2, 1};
  CHECK(walk(sliced, 1) ==
        Names{"L1_0", "A_0", "L1_1", "A_1", "L2_0", "L2_1", "L1_2", "A_2", "L1_3", "A_3", "L2_2", "L2_3"});
  const InterleavedSchedule one{2, 2, 1};
  CHECK(one.follows({Stage::kL2, 1}));
  CHECK_FALSE(one.follows({Stage::kL2, 2}));
}

TEST_CASE("every cut of every schedule visits each task once and runs to the end, random cuts too") {
  moescope::reference::test::RandomCases random(77);
  for (int i = 0; i < 300; ++i) {
    const EngineMap& engines = i % 2 == 0 ? kLinkCompute : kInComputeActOut;
    const int experts = random.integer(1, 7), blocks = random.integer(0, 3);
    std::vector<int> ends;
    for (int end = 0; end < experts;) ends.push_back(end = std::min(experts, end + random.integer(1, 3)));
    const int waves = static_cast<int>(ends.size()), parts = blocks == 0 ? waves : experts * blocks;
    const WaveSchedule wave{{experts, waves, blocks, ends}, random.integer(0, parts), engines};
    REQUIRE(visits_each_task_once(wave));
    REQUIRE(runs_to_the_end(wave));
    const int n = random.integer(1, 8);
    const InterleavedSchedule interleaved{n, random.integer(1, 3), random.integer(1, n), random.integer(0, n), engines};
    REQUIRE(visits_each_task_once(interleaved));
    // A ring smaller than the warm-up can't hold what the warm-up reads only if it stopped reading: it doesn't.
    REQUIRE(runs_to_the_end(interleaved));
    const CometSchedule comet{random.integer(1, 9), engines};
    REQUIRE((visits_each_task_once(comet) && runs_to_the_end(comet)));
  }
}

TEST_CASE("schedules are known by their listed names and no others") {
  for (const ScheduleName& schedule : kSchedules) CHECK(is_schedule(schedule.name));
  CHECK_FALSE(is_schedule("Comet"));
  CHECK_FALSE(is_schedule(""));
}

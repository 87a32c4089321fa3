#pragma once
// SPDX-License-Identifier: Apache-2.0
// THE list of schedules, and the proof at compile time that each visits every task exactly once and can't block itself.
// A new schedule is one file, one row in kSchedules and one alternative in AnySchedule; tiling.h gives its parts their
// meaning.

#include <string_view>
#include <variant>

#include "reference_kernels/schedule/comet.h"
#include "reference_kernels/schedule/interleaved.h"
#include "reference_kernels/schedule/naive.h"
#include "reference_kernels/schedule/wave.h"

namespace moescope::reference {

using AnySchedule = std::variant<NaiveSchedule, CometSchedule, WaveSchedule, InterleavedSchedule>;

struct ScheduleName {
  std::string_view name, summary;
};
inline constexpr std::array<ScheduleName, 4> kSchedules{{
    {"naive", "five stages in turn, a barrier across ranks after each"},
    {"comet", "two overlapped halves, cut into --chunks: dispatch with L1 along tokens, L2 with combine along columns"},
    {"wave",
     "experts in --waves groups, the stages pipelined; --blocks cuts each expert's rows into parts of their own"},
    {"interleaved", "no waves: --warm-up L1 blocks, then L2 and L1 in turn, each block in --slices of the inner width"},
}};

// What the schedules are made of; each takes what it knows.
struct ScheduleCut {
  Cuts cuts;
  int chunks = 1, slices = 1, warm_up = 1, ring = 0;
};
constexpr bool is_schedule(std::string_view name) {
  for (const ScheduleName& schedule : kSchedules) {
    if (schedule.name == name) return true;
  }
  return false;
}

template <class Schedule>
constexpr bool visits_each_task_once(const Schedule& schedule) {
  for (Stage stage : kMoeStages) {
    for (int part = 0; part < schedule.parts(stage); ++part) {
      int visits = 0;
      for (int engine = 0; engine < schedule.engines.count; ++engine) {
        for (int i = 0; i < schedule.size(engine); ++i) {
          const bool here = schedule.at(engine, i) == Task{stage, part};
          if (here && engine != schedule.engines.engine(stage)) return false;
          visits += here ? 1 : 0;
        }
      }
      if (visits != 1) return false;
    }
  }
  int tasks = 0, walked = 0;
  for (Stage stage : kMoeStages) tasks += schedule.parts(stage);
  for (int engine = 0; engine < schedule.engines.count; ++engine) walked += schedule.size(engine);
  return tasks == walked;
}

// Plays one layer with every engine in order: false if an engine stands before a task whose input sits behind it.
template <class Schedule>
constexpr bool runs_to_the_end(const Schedule& schedule) {
  std::array<int, 4> done{};  // tasks finished on each engine
  const auto parts_done = [&](const Wait& wait) {
    const int source = schedule.engines.engine(wait.task.stage);
    int parts = 0;
    for (int i = 0; i < done[static_cast<std::size_t>(source)]; ++i) {
      const Task task = schedule.at(source, i);
      parts += wait.whole_stage ? task.stage == wait.task.stage : task == wait.task;
    }
    return parts;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (int engine = 0; engine < schedule.engines.count; ++engine) {
      int& position = done[static_cast<std::size_t>(engine)];
      if (position == schedule.size(engine)) continue;
      bool ready = true;
      for (const Wait& wait : schedule.waits(schedule.at(engine, position))) {
        const int needed = wait.whole_stage ? schedule.parts(wait.task.stage) : 1;
        ready = ready && (wait.previous_layer || parts_done(wait) == needed);
      }
      if (ready) ++position, moved = true;
    }
  }
  for (int engine = 0; engine < schedule.engines.count; ++engine) {
    if (done[static_cast<std::size_t>(engine)] != schedule.size(engine)) return false;
  }
  return true;
}

namespace proof {
template <class Schedule>
constexpr bool sound(Schedule schedule) {
  for (const EngineMap& engines : {kLinkCompute, kInComputeActOut}) {
    schedule.engines = engines;
    if (!visits_each_task_once(schedule) || !runs_to_the_end(schedule)) return false;
  }
  return true;
}
constexpr bool waves_sound(int experts, int waves, int blocks, int ring) {
  return sound(WaveSchedule{{experts, waves, blocks, {}}, ring, kLinkCompute});
}
inline constexpr std::array<int, 3> kTaperedEnds{1, 4, 6};
static_assert(sound(NaiveSchedule{}));
static_assert(sound(CometSchedule{1}) && sound(CometSchedule{4}));
static_assert(waves_sound(1, 1, 0, 0) && waves_sound(3, 3, 0, 0) && waves_sound(8, 5, 0, 1));
static_assert(waves_sound(4, 1, 2, 0) && waves_sound(4, 3, 2, 2) && waves_sound(5, 5, 1, 1));
static_assert(sound(WaveSchedule{{6, 3, 0, kTaperedEnds}}) && sound(WaveSchedule{{6, 3, 2, kTaperedEnds}, 3}));
static_assert(sound(InterleavedSchedule{1, 1, 1}) && sound(InterleavedSchedule{5, 2, 3}) &&
              sound(InterleavedSchedule{4, 3, 4, 4}));
}  // namespace proof

}  // namespace moescope::reference

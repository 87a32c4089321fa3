#pragma once
// SPDX-License-Identifier: Apache-2.0
// THE list of schedules, and the proof at compile time that each visits every (stage, wave) exactly once and can't
// block itself. A new schedule is one file, one row in kSchedules, one alternative in AnySchedule and one in
// make_schedule.

#include <optional>
#include <string_view>
#include <variant>

#include "reference_kernels/schedule/naive.h"
#include "reference_kernels/schedule/wave.h"

namespace moescope::reference {

using AnySchedule = std::variant<NaiveSchedule, WaveSchedule>;

struct ScheduleName {
  std::string_view name, summary;
};
inline constexpr std::array<ScheduleName, 2> kSchedules{{
    {"naive", "five stages in turn, a barrier across ranks after each"},
    {"wave", "experts split into --waves groups, the stages pipelined wave by wave"},
}};

inline std::optional<AnySchedule> make_schedule(std::string_view name, int waves, const EngineMap& engines) {
  if (name == kSchedules[0].name) return NaiveSchedule{engines};
  if (name == kSchedules[1].name) return WaveSchedule{waves, engines};
  return std::nullopt;
}

template <class Schedule>
constexpr bool visits_each_task_once(const Schedule& schedule) {
  for (Stage stage : kAllStages) {
    for (int wave = 0; wave < schedule.waves(); ++wave) {
      int visits = 0;
      for (int engine = 0; engine < schedule.engines.count; ++engine) {
        for (int i = 0; i < schedule.size(engine); ++i) {
          const bool here = schedule.at(engine, i) == Task{stage, wave};
          if (here && engine != schedule.engines.engine(stage)) return false;
          visits += here ? 1 : 0;
        }
      }
      if (visits != 1) return false;
    }
  }
  return true;
}

// Plays one layer with every engine in order: false if an engine stands before a task whose input sits behind it.
template <class Schedule>
constexpr bool runs_to_the_end(const Schedule& schedule) {
  std::array<int, 4> done{};  // tasks finished on each engine
  for (bool moved = true; moved;) {
    moved = false;
    for (int engine = 0; engine < schedule.engines.count; ++engine) {
      int& position = done[static_cast<std::size_t>(engine)];
      if (position == schedule.size(engine)) continue;
      const Wait wait = schedule.wait(schedule.at(engine, position));
      bool ready = wait.previous_layer;
      const int source = schedule.engines.engine(wait.task.stage);
      for (int i = 0; i < done[static_cast<std::size_t>(source)]; ++i) ready |= schedule.at(source, i) == wait.task;
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
constexpr bool sound(const Schedule& schedule) {
  return visits_each_task_once(schedule) && runs_to_the_end(schedule);
}
constexpr bool waves_sound(int waves) {
  return sound(WaveSchedule{waves, kLinkCompute}) && sound(WaveSchedule{waves, kInComputeActOut});
}
static_assert(sound(NaiveSchedule{kLinkCompute}) && sound(NaiveSchedule{kInComputeActOut}));
static_assert(waves_sound(1) && waves_sound(2) && waves_sound(3));
static_assert(waves_sound(4) && waves_sound(5) && waves_sound(8));
}  // namespace proof

}  // namespace moescope::reference

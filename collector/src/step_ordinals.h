#pragma once
// SPDX-License-Identifier: Apache-2.0
// Gives each step of a rank its identity, the ordinal: users' numbers repeat (a second epoch, a restart, a warm-up),
// and the threads of one rank pass the same step at different times. Not locked: the session's lock is held around it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace moescope::collector {

class StepOrdinals {
 public:
  // A thread begins step `number` of `rank`; last is the ordinal of the last step this thread began there (-1: none).
  // It joins the newest step of that number that it has not been in; a thread new to the rank joins only a step that
  // is open or the newest. Otherwise a new step begins.
  std::int32_t begin(std::int32_t rank, std::int64_t number, std::int32_t last);
  void end(std::int32_t rank, std::int32_t ordinal);
  // The newest step of that number, or a new one: for spans with an explicit step.
  std::int32_t find(std::int32_t rank, std::int64_t number);
  // The step whose bounds are given explicitly: the newest of that number that has none yet, or a new one.
  std::int32_t window(std::int32_t rank, std::int64_t number);

 private:
  static constexpr std::size_t kRemembered = 256;  // steps a rank: a thread that lags more begins a new one
  struct Step {
    std::int64_t number;
    std::int32_t ordinal, inside;  // inside: threads that are in it
    bool has_window;
  };
  struct Rank {
    std::deque<Step> steps;
    std::int32_t next = 0;
  };
  Step& add(Rank& rank, std::int64_t number);

  std::map<std::int32_t, Rank> ranks_;
};

}  // namespace moescope::collector

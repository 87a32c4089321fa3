#pragma once
// SPDX-License-Identifier: Apache-2.0
// Between ranks: how much of a communication kernel is waiting for others to come, and how much is transfer. Of one
// instance, a rank's wait is the latest start less its own; the transfer is the shortest participant's time; the delay
// belongs to the last to arrive.

#include <optional>
#include <string>
#include <vector>

#include "analyzer/metric/clock_align.h"

namespace moescope {

struct ArrivalCell {
  std::size_t count = 0;  // instances it took part in
  Ns wait = 0;            // for others, summed
  Ns transfer = 0;        // the instances' shortest times, summed
  std::size_t last = 0;   // instances it was the last to arrive at, and another waited
  Ns caused = 0;          // of those, the longest wait of another, summed
};
struct ArrivalRow {
  Stage stage = Stage::kUNATTRIBUTED;
  std::vector<std::optional<ArrivalCell>> cells;  // as Selection::devices
};
struct WorstInstance {
  Stage stage = Stage::kUNATTRIBUTED;
  Ns wait = 0, transfer = 0;
  RankId last;
  Ns start = 0;  // of the last to arrive, on its own clock
};
struct Arrivals {
  std::vector<ArrivalRow> rows;      // by stage
  std::vector<WorstInstance> worst;  // the longest waits first, kWorstKept at most
  Answer<ClockAlignment> clocks = Abstained{"one rank only"};
  std::vector<std::string> left_out;  // what could not be compared, and why
};
inline constexpr std::size_t kWorstKept = 10;
// Nobody leaves a collective before the last has come. A stage with more instances than this share where somebody does,
// by more than the clocks' error, is none or matched wrongly, and left out.
inline constexpr double kMostUnwaited = 0.1;
// More than this between devices of one clock is no error of the clock.
inline constexpr Ns kMostClockError = 100'000;

Arrivals arrivals(const Trace& trace, const Selection& selection, const std::vector<CallLists>& devices);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// One run as a comparison sees it: its structure, and a series of values, one a step, for each compared figure.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/metric/analysis.h"

namespace moescope {

enum class Compared : std::uint8_t {
  kStepTime,      // the step's length on its slowest rank; the work's span where steps are not known
  kExposedComm,   // exposed communication, mean over ranks
  kHidden,        // hidden fraction, mean over ranks
  kStageTime,     // one stage and pass, mean over ranks
  kStageExposed,  // of a communication stage
};
// "step_ns", "exposed_comm_ns", "hidden_fraction", "stage_time_ns", "stage_exposed_ns".
std::string_view name(Compared compared);
std::optional<Compared> compared_from_name(std::string_view text);

struct SeriesKey {
  Compared compared = Compared::kStepTime;
  Stage stage = Stage::kUNATTRIBUTED;  // stage figures only
  Pass pass = Pass::kUNKNOWN;
  friend constexpr auto operator<=>(const SeriesKey&, const SeriesKey&) = default;
};

struct RunSample {
  std::string label;           // the path, for messages
  bool virtual_clock = false;  // exact: the same run gives the same figures
  std::size_t ranks = 0, steps = 0;
  std::set<std::pair<Stage, Pass>> stages;  // those with a meaning: MoE and communication stages
  std::set<std::int32_t> layers;
  std::set<StepKind> kinds;
  std::optional<Model> model;
  std::map<SeriesKey, std::vector<double>> series;  // ns, or a fraction for kHidden; in the order of the steps
};

RunSample run_sample(const Trace& trace, const Analysis& analysis, const std::string& label);

}  // namespace moescope

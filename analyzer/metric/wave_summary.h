#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a layer's waves follow each other, over all layer instances of a run; and which schedule that looks like. A wave
// is an order, not a barrier, and some schedules have none.

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metric/layer_table.h"
#include "analyzer/model/answer.h"

namespace moescope {

enum class ScheduleGuess { kUnknown, kNaive, kWave };
std::string_view name(ScheduleGuess guess);

struct WaveSummary {
  Answer<double> count_per_layer = Abstained{};  // median over instances with marks
  Answer<double> depth = Abstained{};            // most waves in flight at once, over all instances
  // One a device: median over its instances of layer start to first expert compute, and last expert compute to layer
  // end, ns.
  std::vector<Answer<double>> fill_ns, drain_ns;
  ScheduleGuess schedule = ScheduleGuess::kUnknown;
  std::string evidence;  // one sentence: why that schedule, or why none
};

WaveSummary wave_summary(const LayerInstances& instances, std::size_t devices);

}  // namespace moescope

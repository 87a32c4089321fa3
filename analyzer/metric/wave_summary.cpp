// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/wave_summary.h"

#include <algorithm>

#include "analyzer/metric/rank_figure.h"

namespace moescope {

std::string_view name(ScheduleGuess guess) {
  switch (guess) {
    case ScheduleGuess::kNaive:
      return "naive";
    case ScheduleGuess::kWave:
      return "wave";
    case ScheduleGuess::kUnknown:
      break;
  }
  return "unknown";
}

WaveSummary wave_summary(const std::vector<LayerInstance>& instances, std::size_t devices) {
  WaveSummary summary;
  std::vector<double> counts;
  std::size_t depth = 0, complete = 0, serial = 0;
  std::vector<std::vector<double>> fills(devices), drains(devices);
  for (const LayerInstance& instance : instances) {
    if (instance.waves > 0) counts.push_back(static_cast<double>(instance.waves));
    depth = std::max<std::size_t>(depth, instance.depth);
    if (instance.expert_compute == 0 || instance.payload == 0) continue;
    ++complete;
    if (instance.serial) ++serial;
    fills[instance.device].push_back(static_cast<double>(instance.fill()));
    drains[instance.device].push_back(static_cast<double>(instance.drain()));
  }
  const char* const no_layers = "no work is marked with a layer that has both token traffic and expert compute";
  const auto median_or = [&](std::vector<double> values) -> Answer<double> {
    if (values.empty()) return Abstained{no_layers};
    return median(std::move(values));
  };
  for (std::size_t device = 0; device < devices; ++device) {
    summary.fill_ns.push_back(median_or(std::move(fills[device])));
    summary.drain_ns.push_back(median_or(std::move(drains[device])));
  }
  if (counts.empty()) {
    const Abstained none{instances.empty() ? no_layers : "no work is marked with a wave"};
    summary.count_per_layer = none;
    summary.depth = none;
  } else {
    summary.count_per_layer = median(counts);
    summary.depth = static_cast<double>(depth);
  }
  const std::string tally = std::to_string(serial) + " of " + std::to_string(complete) +
                            " layer instances move no tokens while experts compute";
  if (complete == 0) {
    summary.evidence = no_layers;
  } else if (!counts.empty() && *summary.count_per_layer >= 2 && depth >= 2) {
    summary.schedule = ScheduleGuess::kWave;
    summary.evidence = "waves are marked, and up to " + std::to_string(depth) + " are in flight at once";
  } else if (serial == complete && (counts.empty() || *summary.count_per_layer < 2)) {
    summary.schedule = ScheduleGuess::kNaive;
    summary.evidence = tally;
  } else {
    summary.evidence = tally + (counts.empty() ? ", and no waves are marked" : "");
  }
  return summary;
}

}  // namespace moescope

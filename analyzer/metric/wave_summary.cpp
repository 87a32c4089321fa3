// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/wave_summary.h"

#include <algorithm>

#include "analyzer/metric/rank_figure.h"
#include "analyzer/model/parallel.h"

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
  std::vector<std::size_t> first(devices + 1);  // instances come device by device
  for (const LayerInstance& instance : instances) {
    ++first[instance.device + 1];
    if (instance.waves > 0) counts.push_back(static_cast<double>(instance.waves));
    depth = std::max<std::size_t>(depth, instance.depth);
    if (instance.expert_compute == 0 || instance.payload == 0) continue;
    ++complete;
    if (instance.serial) ++serial;
  }
  for (std::size_t device = 0; device < devices; ++device) first[device + 1] += first[device];
  const char* const no_layers = "no work is marked with a layer that has both token traffic and expert compute";
  summary.fill_ns.resize(devices, Abstained{no_layers});
  summary.drain_ns = summary.fill_ns;
  each_in_parallel(devices, instances.size(), [&] {
    return [&](std::size_t device) {
      std::vector<double> fills, drains;
      for (std::size_t i = first[device]; i < first[device + 1]; ++i) {
        if (instances[i].expert_compute == 0 || instances[i].payload == 0) continue;
        fills.push_back(static_cast<double>(instances[i].fill()));
        drains.push_back(static_cast<double>(instances[i].drain()));
      }
      if (fills.empty()) return;
      summary.fill_ns[device] = median(std::move(fills));
      summary.drain_ns[device] = median(std::move(drains));
    };
  });
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

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

WaveSummary wave_summary(const LayerInstances& instances, std::size_t devices) {
  WaveSummary summary;
  std::vector<double> counts;
  std::size_t depth = 0, complete = 0, serial = 0;
  const char* const no_layers = "no work is marked with a layer that has both token traffic and expert compute";
  summary.fill_ns.resize(devices, Abstained{no_layers});
  summary.drain_ns = summary.fill_ns;
  struct Share {
    std::vector<double> counts;
    std::size_t all = 0, depth = 0, complete = 0, serial = 0;
  };
  std::vector<Share> shares(devices);
  std::size_t all = 0;
  for (const auto& device : instances) all += device.size();
  each_in_parallel(devices, all, [&] {
    return [&](std::size_t device) {
      Share share;
      std::vector<double> fills, drains;
      for (const LayerInstance& instance : instances[device]) {
        ++share.all;
        if (instance.waves > 0) share.counts.push_back(static_cast<double>(instance.waves));
        share.depth = std::max<std::size_t>(share.depth, instance.depth);
        if (instance.expert_compute == 0 || instance.payload == 0) continue;
        ++share.complete;
        if (instance.serial) ++share.serial;
        fills.push_back(static_cast<double>(instance.fill()));
        drains.push_back(static_cast<double>(instance.drain()));
      }
      if (!fills.empty()) {
        summary.fill_ns[device] = median(std::move(fills));
        summary.drain_ns[device] = median(std::move(drains));
      }
      shares[device] = std::move(share);
    };
  });
  for (const Share& share : shares) {
    counts.insert(counts.end(), share.counts.begin(), share.counts.end());
    depth = std::max(depth, share.depth);
    complete += share.complete;
    serial += share.serial;
  }
  if (counts.empty()) {
    const Abstained none{all == 0 ? no_layers : "no work is marked with a wave"};
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

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/clock_align.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analyzer/metric/rank_figure.h"

namespace moescope {
namespace {

constexpr std::size_t kMostLookedAt = 16384;

// How much later the ends of a device lie on clocks that are tied already, instance by instance.
std::vector<double> end_differences(const Trace& trace, const CollectiveMatch& match, const ClockAlignment& clocks,
                                    const std::vector<bool>& tied, std::size_t device) {
  std::vector<double> differences;
  // Of very many, some: a median and a percentile need no more.
  const std::size_t step = match.instances.size() / kMostLookedAt + 1;
  for (std::size_t i = 0; i < match.instances.size(); i += step) {
    const CollectiveInstance& instance = match.instances[i];
    const MatchedPart *mine = nullptr, *other = nullptr;
    for (const MatchedPart& part : match.parts_of(instance)) {
      if (part.device == device) mine = &part;
      if (other == nullptr && part.device != device && tied[part.device]) other = &part;
    }
    if (mine != nullptr && other != nullptr)
      differences.push_back(
          static_cast<double>(trace.spans.end(other->row) + clocks.offset[other->device] - trace.spans.end(mine->row)));
  }
  return differences;
}

Ns percentile_95_from(std::vector<double> differences, double offset) {
  if (differences.empty()) return 0;
  for (double& difference : differences) difference = std::abs(difference - offset);
  std::sort(differences.begin(), differences.end());
  const auto at = static_cast<std::size_t>(0.95 * static_cast<double>(differences.size() - 1) + 0.5);
  return static_cast<Ns>(std::llround(differences[at]));
}

}  // namespace

Answer<ClockAlignment> align_clocks(const Trace& trace, const Selection& selection, const CollectiveMatch& match) {
  const std::size_t devices = selection.devices.size();
  ClockAlignment result;
  result.offset.assign(devices, 0);
  std::vector<bool> tied(devices, false);
  if (devices > 0) tied[0] = true;
  const auto tie = [&](std::size_t device, double offset, const std::vector<double>& differences) {
    result.offset[device] = static_cast<Ns>(std::llround(offset));
    result.residual_p95 = std::max(result.residual_p95, percentile_95_from(differences, offset));
    tied[device] = true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t device = 0; device < devices; ++device) {
      if (tied[device]) continue;
      const std::vector<double> differences = end_differences(trace, match, result, tied, device);
      std::size_t same = devices;
      for (std::size_t other = 0; other < devices; ++other)
        if (tied[other] && selection.devices[other].clock == selection.devices[device].clock) same = other;
      if (same < devices) {
        tie(device, static_cast<double>(result.offset[same]), differences);
      } else if (differences.size() >= kFewestCommon) {
        tie(device, median(differences), differences);
        result.fitted = true;
      }
      moved = moved || tied[device];
    }
  }
  for (std::size_t device = 0; device < devices; ++device)
    if (!tied[device])
      return Abstained{"the clock of rank " + std::to_string(selection.devices[device].device.rank.value) +
                       " is tied to no other: not the same host by the record, and fewer than " +
                       std::to_string(kFewestCommon) + " collectives in common"};
  return result;
}

}  // namespace moescope

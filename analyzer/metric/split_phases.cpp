// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/split_phases.h"

#include <algorithm>
#include <map>

namespace moescope {
namespace {

constexpr double kTolerance = 0.02;
constexpr std::size_t kFewest = 4;  // layer instances; fewer prove nothing

bool twice(std::size_t count, std::size_t instances) {
  const double expected = 2.0 * static_cast<double>(instances);
  return count >= 2 * kFewest && std::abs(static_cast<double>(count) - expected) <= kTolerance * expected;
}

}  // namespace

SplitPhases split_phases(const DeviceWork& device) {
  const Attribution& attribution = device.work.attribution;
  const auto is_half = [&](std::size_t row) {
    const Stage stage = attribution.stage[row];
    return (stage == Stage::kDISPATCH || stage == Stage::kCOMBINE) && !is_control(attribution.part[row]);
  };
  std::size_t activations = 0, routers = 0, counts[2] = {};
  for (const std::size_t row : device.chosen->rows) {
    const Stage stage = attribution.stage[row];
    activations += stage == Stage::kACT;
    routers += stage == Stage::kROUTER;
    if (is_half(row)) ++counts[stage == Stage::kCOMBINE];
  }
  const auto fits = [&](std::size_t instances) { return twice(counts[0], instances) && twice(counts[1], instances); };
  SplitPhases result;
  result.found = fits(activations) || fits(routers);
  if (!result.found) return result;
  // Halves by stream and stage, in the order of time.
  std::map<std::pair<std::int32_t, Stage>, std::vector<std::size_t>> halves;
  for (const std::size_t row : device.chosen->rows)
    if (is_half(row)) halves[{device.work.trace.spans.track[row], attribution.stage[row]}].push_back(row);
  std::vector<Interval> flights;
  for (const auto& [key, rows] : halves) {
    for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
      ++result.pairs;
      const Interval flight{device.work.selection.interval(device.work.trace, rows[i]).end,
                            device.work.selection.interval(device.work.trace, rows[i + 1]).begin};
      if (flight.end > flight.begin) flights.push_back(flight);
    }
  }
  result.in_flight = IntervalSet::from(std::move(flights));
  result.under_compute = result.in_flight.intersect(device.activity.compute).measure();
  return result;
}

}  // namespace moescope

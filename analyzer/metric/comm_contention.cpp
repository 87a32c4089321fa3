// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/comm_contention.h"

#include <map>
#include <string>

#include "analyzer/metric/rank_figure.h"

namespace moescope {
namespace {

constexpr StageSet kExchange = StageSet(Stage::kDISPATCH) | Stage::kCOMBINE | Stage::kALLTOALL;
constexpr StageSet kReduction = StageSet(Stage::kALLREDUCE) | Stage::kREDUCESCATTER | Stage::kALLGATHER;

struct Instance {
  std::size_t row;
  Interval interval;
};

IntervalSet united(const std::vector<Instance>& instances) {
  std::vector<Interval> intervals;
  for (const Instance& one : instances) intervals.push_back(one.interval);
  return IntervalSet::from(std::move(intervals));
}

Answer<Slowdown> slowdown(const Trace& trace, const std::vector<Instance>& instances, const IntervalSet& other) {
  struct Lengths {
    std::vector<double> under, alone;
  };
  std::map<std::pair<std::int32_t, std::int64_t>, Lengths> same_work;
  std::size_t under = 0, alone = 0;
  for (const Instance& one : instances) {
    const Ns covered = other.clip(one.interval).measure(), length = one.interval.length();
    Lengths& lengths = same_work[{trace.spans.name[one.row], trace.spans.bytes[one.row]}];
    if (covered == 0) {
      lengths.alone.push_back(static_cast<double>(length));
      ++alone;
    } else if (2 * covered >= length) {
      lengths.under.push_back(static_cast<double>(length));
      ++under;
    }
  }
  Slowdown result;
  std::vector<double> ratios;
  for (auto& [key, lengths] : same_work) {
    if (lengths.under.size() < kFewestInstances || lengths.alone.size() < kFewestInstances) continue;
    result.under += lengths.under.size();
    result.alone += lengths.alone.size();
    // Once an instance, so that frequent work weighs more.
    const std::size_t times = lengths.under.size();
    const double alone_median = median(std::move(lengths.alone));
    if (alone_median <= 0) continue;
    ratios.insert(ratios.end(), times, median(std::move(lengths.under)) / alone_median);
  }
  if (ratios.empty()) {
    const std::string fewest = std::to_string(kFewestInstances);
    return Abstained{"needs " + fewest + " instances of the same work under the other and as many alone; there are " +
                     std::to_string(under) + " and " + std::to_string(alone)};
  }
  result.ratio = median(std::move(ratios));
  return result;
}

}  // namespace

CommContention comm_contention(const Trace& trace, const Attribution& attribution, const Selection& selection,
                               const DeviceRows& device) {
  std::vector<Instance> exchanges, reductions;
  for (const std::size_t row : device.rows) {
    if (attribution.activity[row] != ActivityClass::kCommunication || is_control(attribution.part[row])) continue;
    const Stage stage = attribution.stage[row];
    if (kExchange.contains(stage)) exchanges.push_back({row, selection.interval(trace, row)});
    if (kReduction.contains(stage)) reductions.push_back({row, selection.interval(trace, row)});
  }
  CommContention result;
  if (exchanges.empty() || reductions.empty()) return result;
  const IntervalSet exchanging = united(exchanges), reducing = united(reductions);
  result.together = exchanging.intersect(reducing).measure();
  if (result.together == 0) return result;
  result.exchange = slowdown(trace, exchanges, reducing);
  result.reduction = slowdown(trace, reductions, exchanging);
  return result;
}

}  // namespace moescope

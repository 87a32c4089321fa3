// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/comm_contention.h"

#include <map>
#include <string>

#include "analyzer/metric/rank_figure.h"

namespace moescope {
namespace {

constexpr StageSet kExchange = StageSet(Stage::kDISPATCH) | Stage::kCOMBINE | Stage::kALLTOALL;
constexpr StageSet kReduction = StageSet(Stage::kALLREDUCE) | Stage::kREDUCESCATTER | Stage::kALLGATHER;

struct Class {
  std::vector<const HiddenSpan*> instances;
  IntervalSet united;
  void add(const HiddenSpan& span) {
    instances.push_back(&span);
    united.extend(span.interval);
  }
};

Answer<Slowdown> slowdown(const Trace& trace, const std::vector<const HiddenSpan*>& instances,
                          const IntervalSet& other) {
  struct Lengths {
    std::vector<double> under, alone;
  };
  std::map<std::pair<std::int32_t, std::int64_t>, Lengths> same_work;
  std::size_t under = 0, alone = 0;
  for (const HiddenSpan* one : instances) {
    const Ns covered = other.measure_within(one->interval), length = one->interval.length();
    Lengths& lengths = same_work[{trace.spans.name[one->row], trace.spans.bytes[one->row]}];
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

CommContention comm_contention(const DeviceWork& device) {
  Class exchanges, reductions;
  for (const HiddenSpan& span : device.communication) {
    if (is_control(device.work.attribution.part[span.row])) continue;
    const Stage stage = device.work.attribution.stage[span.row];
    if (kExchange.contains(stage)) exchanges.add(span);
    if (kReduction.contains(stage)) reductions.add(span);
  }
  CommContention result;
  if (exchanges.instances.empty() || reductions.instances.empty()) return result;
  result.together = exchanges.united.intersect(reductions.united).measure();
  if (result.together == 0) return result;
  result.exchange = slowdown(device.work.trace, exchanges.instances, reductions.united);
  result.reduction = slowdown(device.work.trace, reductions.instances, exchanges.united);
  return result;
}

}  // namespace moescope

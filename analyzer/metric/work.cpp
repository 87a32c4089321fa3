// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/work.h"

#include <algorithm>
#include <tuple>

namespace moescope {
namespace {

// How much of a set lies before instants that are asked for in ascending order: a cursor, and a running total.
class TimeBefore {
 public:
  explicit TimeBefore(const IntervalSet& set) : intervals_(set.intervals()) {
    before_.reserve(intervals_.size() + 1);
    Ns total = 0;
    for (const Interval& one : intervals_) before_.push_back(total), total += one.length();
    before_.push_back(total);
  }
  Ns at(Ns instant) {  // no earlier than the one before
    while (next_ < intervals_.size() && intervals_[next_].end <= instant) ++next_;
    return at_index(next_, instant);
  }
  // Any instant no earlier than the last one of at(): looked for from there, in doubling steps.
  Ns later(Ns instant) const {
    std::size_t low = next_, step = 1;
    while (low + step < intervals_.size() && intervals_[low + step].end <= instant) low += step, step *= 2;
    const auto begin = intervals_.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end = intervals_.begin() + static_cast<std::ptrdiff_t>(std::min(low + step + 1, intervals_.size()));
    const auto found = std::upper_bound(begin, end, instant, [](Ns t, const Interval& one) { return t < one.end; });
    return at_index(static_cast<std::size_t>(found - intervals_.begin()), instant);
  }

 private:
  Ns at_index(std::size_t index, Ns instant) const {
    const bool inside = index < intervals_.size() && intervals_[index].begin < instant;
    return before_[index] + (inside ? instant - intervals_[index].begin : 0);
  }
  const std::vector<Interval>& intervals_;
  std::vector<Ns> before_;
  std::size_t next_ = 0;
};

// Equal numbers for places that differ in nothing but their wave.
void number_instances(const std::vector<Place>& places, Work& work) {
  const auto key = [&](std::size_t i) { return std::tie(places[i].step, places[i].layer, places[i].micro_batch); };
  work.instance_of_place.resize(places.size(), -1);
  const bool waves = std::any_of(places.begin(), places.end(), [](const Place& place) { return place.wave.valid(); });
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].layer.valid()) order.push_back(i);
  if (waves) std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !waves || key(order[i]) != key(order[i - 1])) ++work.instances;
    work.instance_of_place[order[i]] = static_cast<std::int32_t>(work.instances) - 1;
  }
}

}  // namespace

std::size_t StepNumbers::find(StepId step) const {
  return static_cast<std::size_t>(std::lower_bound(steps_.begin(), steps_.end(), step) - steps_.begin());
}

Work work_of(const Trace& trace, const Attribution& attribution, const Selection& selection, Definition definition) {
  Work work{trace, attribution, selection, definition, {}, 0};
  number_instances(attribution.structure.places, work);
  return work;
}

void DeviceWork::load(std::size_t device) {
  index = device;
  chosen = &work.selection.devices[device];
  const Attribution& attribution = work.attribution;
  const Track& track = work.trace.track_of(chosen->rows.front());
  activity.device = {track.rank, track.device};
  activity.clock = track.clock;
  // Room that is not used costs address space only.
  for (IntervalSet* set : {&activity.busy, &activity.compute, &activity.communication, &activity.control,
                           &activity.copies, &activity.unknown})
    set->clear();
  activity.communication_time = activity.compute_time = activity.busy_time = 0;
  activity.payload = {};
  for (IntervalSet* set : {&activity.busy, &activity.compute, &activity.communication})
    set->reserve(chosen->rows.size());
  communication.clear();
  communication.reserve(chosen->rows.size());
  StepNumbers steps(*chosen);
  std::vector<Interval> hulls(steps.count(), Interval{1, 0});
  std::int32_t last_place = -1;
  Interval* hull = nullptr;  // of its step
  UnionLength fused_time;
  fused_spans = 0;
  for (const std::size_t row : chosen->rows) {
    const Interval interval = work.selection.interval(work.trace, row);
    const ActivityClass what = attribution.activity[row];
    activity.add(what, attribution.part[row], interval);
    if (what == ActivityClass::kCommunication)
      communication.push_back({row, interval, 0, 0});
    else if (what == ActivityClass::kCompute && attribution.stages[row].intersects(kCommunicationStages))
      fused_time.add(interval), ++fused_spans;
    if (const std::int32_t place = attribution.structure.place[row]; place != last_place) {
      last_place = place;
      hull = &hulls[steps.of(attribution.structure.at(row).step)];
      if (hull->begin > hull->end) *hull = interval;
    }
    hull->end = std::max(hull->end, interval.end);  // rows come in the order of time
  }
  fused = fused_time.length();
  step_spans = IntervalSet::from(std::move(hulls));
  const IntervalSet hiding = hiders(activity, work.definition);
  TimeBefore hidden(hiding);
  for (HiddenSpan& span : communication) {
    span.hidden_before_begin = hidden.at(span.interval.begin);
    span.hidden_before_end = hidden.later(span.interval.end);
  }
}

}  // namespace moescope

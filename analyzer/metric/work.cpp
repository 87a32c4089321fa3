// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/work.h"

#include <algorithm>

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

IntervalSet step_spans(const Attribution& attribution, const Trace& trace, const Selection& selection,
                       const DeviceRows& device) {
  StepNumbers numbers(device);
  std::vector<Interval> hulls(numbers.count(), Interval{1, 0});
  const bool in_steps = !device.steps.empty();
  for (const std::size_t row : device.rows) {
    const Interval one = selection.interval(trace, row);
    Interval& hull = hulls[in_steps ? numbers.of(attribution.structure.at(row).step) : 0];
    if (hull.begin > hull.end)
      hull = one;
    else  // rows come in the order of time
      hull.end = std::max(hull.end, one.end);
  }
  return IntervalSet::from(std::move(hulls));
}

}  // namespace

std::size_t StepNumbers::find(StepId step) const {
  return static_cast<std::size_t>(std::lower_bound(steps_.begin(), steps_.end(), step) - steps_.begin());
}

Work work_of(const Trace& trace, const Attribution& attribution, const Selection& selection, Definition definition) {
  Work work{trace, attribution, selection, definition, {}};
  for (const DeviceRows& chosen : selection.devices) {
    DeviceWork& device = work.devices.emplace_back();
    device.chosen = &chosen;
    device.activity = device_activity(trace, attribution, selection, chosen.rows);
    for (const std::size_t row : chosen.rows)
      if (attribution.activity[row] == ActivityClass::kCommunication)
        device.communication.push_back({row, selection.interval(trace, row), 0, 0});
    const IntervalSet hiding = hiders(device.activity, definition);
    TimeBefore hidden(hiding);
    for (HiddenSpan& span : device.communication) {
      span.hidden_before_begin = hidden.at(span.interval.begin);
      span.hidden_before_end = hidden.later(span.interval.end);
    }
    device.step_spans = step_spans(attribution, trace, selection, chosen);
  }
  return work;
}

}  // namespace moescope

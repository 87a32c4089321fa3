// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/interval_set.h"

#include <algorithm>

namespace moescope {

IntervalSet::IntervalSet(std::initializer_list<Interval> intervals) : IntervalSet(from(intervals)) {}

IntervalSet IntervalSet::from(std::vector<Interval> intervals) {
  const auto by_begin = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_begin))
    std::sort(intervals.begin(), intervals.end(), by_begin);
  // Merged in place: the write position never overtakes the read position.
  std::size_t kept = 0;
  for (const Interval& interval : intervals) {
    if (interval.empty()) continue;
    if (kept > 0 && interval.begin <= intervals[kept - 1].end)
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, interval.end);
    else
      intervals[kept++] = interval;
  }
  intervals.resize(kept);
  IntervalSet set;
  set.intervals_ = std::move(intervals);
  return set;
}

Ns IntervalSet::measure() const {
  Ns total = 0;
  for (const Interval& interval : intervals_) total += interval.length();
  return total;
}

Interval IntervalSet::hull() const {
  if (intervals_.empty()) return {};
  return {intervals_.front().begin, intervals_.back().end};
}

bool IntervalSet::contains(Ns instant) const {
  auto after = std::upper_bound(intervals_.begin(), intervals_.end(), instant,
                                [](Ns t, const Interval& interval) { return t < interval.begin; });
  return after != intervals_.begin() && instant < std::prev(after)->end;
}

Ns IntervalSet::measure_within(Interval window) const {
  if (window.empty()) return 0;
  Ns total = 0;
  auto one = std::upper_bound(intervals_.begin(), intervals_.end(), window.begin,
                              [](Ns t, const Interval& interval) { return t < interval.end; });
  for (; one != intervals_.end() && one->begin < window.end; ++one)
    total += std::min(one->end, window.end) - std::max(one->begin, window.begin);
  return total;
}

IntervalSet IntervalSet::unite(const IntervalSet& other) const {
  if (intervals_.empty()) return other;
  if (other.intervals_.empty()) return *this;
  IntervalSet result;
  result.reserve(intervals_.size() + other.intervals_.size());
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) result.extend(a->begin <= b->begin ? *a++ : *b++);
  while (a != intervals_.end()) result.extend(*a++);
  while (b != other.intervals_.end()) result.extend(*b++);
  return result;
}

IntervalSet IntervalSet::intersect(const IntervalSet& other) const {
  IntervalSet result;
  result.reserve(std::max(intervals_.size(), other.intervals_.size()));
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    const Interval both{std::max(a->begin, b->begin), std::min(a->end, b->end)};
    if (!both.empty()) result.intervals_.push_back(both);
    if (a->end < b->end)
      ++a;
    else
      ++b;
  }
  return result;
}

IntervalSet IntervalSet::subtract(const IntervalSet& other) const {
  IntervalSet result;
  result.reserve(intervals_.size() + other.intervals_.size());
  each_without(other, [&result](Interval one) { result.intervals_.push_back(one); });
  return result;
}

IntervalSet IntervalSet::clip(Interval window) const {
  IntervalSet result;
  if (window.empty()) return result;
  auto first = std::upper_bound(intervals_.begin(), intervals_.end(), window.begin,
                                [](Ns t, const Interval& interval) { return t < interval.end; });
  for (auto i = first; i != intervals_.end() && i->begin < window.end; ++i)
    result.intervals_.push_back({std::max(i->begin, window.begin), std::min(i->end, window.end)});
  return result;
}

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// A set of instants, kept as disjoint half-open intervals in ascending order. The algebra behind every overlap figure:
// exposed = measure(comm - compute). Each operation is linear in its inputs; building sorts once, and is linear where
// the input is already sorted by begin (traces are, per stream).

#include <initializer_list>
#include <span>
#include <vector>

#include "analyzer/model/time.h"

namespace moescope {

class IntervalSet {
 public:
  IntervalSet() = default;
  IntervalSet(std::initializer_list<Interval> intervals);
  // The union of any intervals, in any order; empty ones are dropped, touching ones merge.
  static IntervalSet from(std::vector<Interval> intervals);

  const std::vector<Interval>& intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }
  Ns measure() const;     // total length, ns
  Interval hull() const;  // first begin to last end; {0, 0} when empty
  bool contains(Ns instant) const;
  Ns measure_within(Interval window) const;  // of the part inside; a binary search and what it passes over

  void clear() { intervals_.clear(); }  // keeps its room
  void reserve(std::size_t intervals) { intervals_.reserve(intervals); }
  // Adds an interval that begins no earlier than any that is in the set; constant time. An empty one adds nothing.
  // Returns how much longer the set has become.
  Ns extend(Interval interval) {
    if (interval.empty()) return 0;
    if (intervals_.empty() || interval.begin > intervals_.back().end) {
      intervals_.push_back(interval);
      return interval.length();
    }
    Ns& end = intervals_.back().end;
    const Ns added = interval.end > end ? interval.end - end : 0;
    end += added;
    return added;
  }

  IntervalSet unite(const IntervalSet& other) const;
  IntervalSet intersect(const IntervalSet& other) const;
  IntervalSet subtract(const IntervalSet& other) const;
  // take(Interval) for each interval of subtract(other), in order; no list is made.
  template <class Take>
  void each_without(const IntervalSet& other, Take take) const {
    auto cut = other.intervals_.begin();
    for (Interval rest : intervals_) {
      while (cut != other.intervals_.end() && cut->end <= rest.begin) ++cut;
      for (auto c = cut; c != other.intervals_.end() && c->begin < rest.end; ++c) {
        if (c->begin > rest.begin) take(Interval{rest.begin, c->begin});
        rest.begin = c->end;
        cut = c;
      }
      if (!rest.empty()) take(rest);
    }
  }
  IntervalSet clip(Interval window) const;

  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace moescope

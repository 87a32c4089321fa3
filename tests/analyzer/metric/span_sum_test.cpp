// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/span_sum.h"

#include <random>

#include "analyzer/metric/work.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

TEST_CASE("sums as spans come by equal the interval sets, for any group of spans") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    HandTrace made;
    const TrackId lanes[] = {made.lane(0), made.lane(0), made.lane(0)};
    for (int i = 0; i < 40; ++i) {
      const Ns begin = static_cast<Ns>(random() % 500), end = begin + static_cast<Ns>(random() % 60);
      const Stage stage = random() % 2 == 0 ? Stage::kL1 : Stage::kDISPATCH;
      made.work(lanes[random() % 3], stage, begin, end, {.wave = static_cast<int>(random() % 4)});
    }
    const Trace trace = made.finish();
    const Attribution said = as_said(trace);
    const Selection selection = select(trace, said, {});
    const Work work = work_of(trace, said, selection, Definition::kMoescope);
    DeviceWork device(work);
    device.load(0);
    const IntervalSet& compute = device.activity.compute;
    for (int wave = 0; wave < 4; ++wave) {
      ExposureSum sum;
      UnionLength length;
      std::vector<Interval> intervals;
      Ns summed = 0, summed_exposed = 0;
      for (const HiddenSpan& span : device.communication) {
        // Both ends' figures, asked by themselves.
        CHECK(span.hidden_before_begin == compute.measure_within({-1, span.interval.begin}));
        CHECK(span.hidden_before_end == compute.clip({-1, span.interval.end}).measure());
        if (said.structure.at(span.row).wave != WaveId(wave)) continue;
        sum.add(span);
        length.add(span.interval);
        intervals.push_back(span.interval);
        summed += span.interval.length();
        summed_exposed += IntervalSet({span.interval}).subtract(compute).measure();
      }
      const IntervalSet set = IntervalSet::from(intervals);
      CHECK(length.length() == set.measure());
      const Exposure exposure = sum.exposure(Definition::kMoescope);
      CHECK(exposure.comm == set.measure());
      CHECK(exposure.exposed == set.subtract(compute).measure());
      CHECK(exposure.weighed_exposed == exposure.exposed);
      const Exposure each = sum.exposure(Definition::kNsys);
      CHECK(each.weighed_comm == summed);
      CHECK(each.exposed == summed_exposed);
    }
  }
}

TEST_CASE("a set extended in order is the set made at once; a measure within a window is that of the clip") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<Interval> intervals;
    Ns at = 0;
    for (int i = 0; i < 20; ++i) {
      at += static_cast<Ns>(random() % 10);
      intervals.push_back({at, at + static_cast<Ns>(random() % 12) - 2});
    }
    IntervalSet extended;
    for (const Interval& one : intervals) extended.extend(one);
    CHECK(extended == IntervalSet::from(intervals));
    const Ns begin = static_cast<Ns>(random() % 120), end = static_cast<Ns>(random() % 120);
    CHECK(extended.measure_within({begin, end}) == extended.clip({begin, end}).measure());
  }
}

#pragma once
// SPDX-License-Identifier: Apache-2.0
// One lane of the Gantt: all work of one stage on one device, as disjoint segments in ascending order, so that every
// later look-up is a binary search. Where spans overlap, the one that began last lies on top, and what is covered is
// cut away: a span can own several segments, and no busy instant is lost.

#include <cstdint>
#include <vector>

#include "analyzer/model/id.h"
#include "analyzer/model/stage.h"
#include "analyzer/model/time.h"
#include "gui/core/span_pyramid.h"

namespace moescope::gui {

struct LaneSpan {
  Interval time;  // relative to the run's start
  std::uint32_t row = 0;
  std::int16_t wave = -1;
};

struct Lane {
  DeviceKey device;
  Stage role = Stage::kUNATTRIBUTED;
  std::size_t group = 0;  // index into Gantt::groups
  std::vector<Interval> segments;
  std::vector<std::uint32_t> row;  // of each segment: its span's row in Trace::spans
  std::vector<std::int16_t> wave;  // of each segment, -1 none
  std::vector<Interval> exposed;   // when this lane communicates under no compute; empty for compute
  SpanPyramid pyramid;
  std::size_t spans = 0;
  bool waves = false;  // any span has a wave

  // The first segment that ends after the instant; segments.size() where there is none.
  std::size_t first_ending_after(double ns) const;
};

// Cuts spans into disjoint segments of `lane`. The spans come in any order. O(n log n), O(n) where they are sorted.
void fill_segments(std::vector<LaneSpan> spans, Lane& lane);

}  // namespace moescope::gui

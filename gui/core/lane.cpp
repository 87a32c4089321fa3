// SPDX-License-Identifier: Apache-2.0
#include "gui/core/lane.h"

#include <algorithm>
#include <limits>

namespace moescope::gui {

std::size_t Lane::first_ending_after(double ns) const {
  const auto found = std::partition_point(segments.begin(), segments.end(), [ns](const Interval& segment) {
    return static_cast<double>(segment.end) <= ns;
  });
  return static_cast<std::size_t>(found - segments.begin());
}

void fill_segments(std::vector<LaneSpan> spans, Lane& lane) {
  const auto earlier = [](const LaneSpan& a, const LaneSpan& b) {
    return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.time.end > b.time.end;
  };
  if (!std::is_sorted(spans.begin(), spans.end(), earlier)) std::stable_sort(spans.begin(), spans.end(), earlier);
  lane.spans = spans.size();
  lane.segments.reserve(spans.size());
  lane.row.reserve(spans.size());
  lane.wave.reserve(spans.size());
  const auto emit = [&lane](const LaneSpan& span, Ns begin, Ns end) {
    if (end <= begin) return;
    lane.segments.push_back({begin, end});
    lane.row.push_back(span.row);
    lane.wave.push_back(span.wave);
    if (span.wave >= 0) lane.waves = true;
  };
  std::vector<LaneSpan> open;  // begun and not ended, the topmost last
  Ns shown_until = 0;          // everything before is emitted
  const auto run_until = [&](Ns instant) {
    while (!open.empty() && shown_until < instant) {
      const LaneSpan& top = open.back();
      const Ns stop = std::min(top.time.end, instant);
      emit(top, shown_until, stop);
      shown_until = std::max(shown_until, stop);
      if (top.time.end <= shown_until) open.pop_back();
    }
  };
  for (const LaneSpan& span : spans) {
    run_until(span.time.begin);
    shown_until = span.time.begin;
    open.push_back(span);
  }
  run_until(std::numeric_limits<Ns>::max());
}

}  // namespace moescope::gui

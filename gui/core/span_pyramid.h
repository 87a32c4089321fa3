#pragma once
// SPDX-License-Identifier: Apache-2.0
// How busy a lane was, per bucket of time, at resolutions four times apart: what is drawn when a pixel covers many
// spans. A bucket remembers its exposed share too, so a rare event is visible at every zoom. Finest bucket = 4 x the
// mean period of the spans: about 2.7 bytes a span. Building is linear; a query touches the buckets in view, once.

#include <span>
#include <vector>

#include "analyzer/model/time.h"

namespace moescope::gui {

struct Bucket {
  float busy = 0, exposed = 0;  // shares of the bucket's time, 0..1
};

class SpanPyramid {
 public:
  SpanPyramid() = default;
  // busy and exposed: disjoint intervals, ascending, inside [0, length).
  SpanPyramid(std::span<const Interval> busy, std::span<const Interval> exposed, Ns length);

  struct Level {
    double bucket_ns = 0;
    std::vector<Bucket> buckets;  // bucket i covers [i, i + 1) x bucket_ns
  };
  // The level to draw from when one pixel is ns_per_pixel long: the coarsest with at least four buckets a pixel, else
  // the finest as long as a pixel covers a whole bucket; nullptr where the spans themselves should be looked at.
  const Level* level_for(double ns_per_pixel) const;
  const std::vector<Level>& levels() const { return levels_; }

 private:
  std::vector<Level> levels_;  // finest first
};

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a figure is about: some ranks, some steps, some layers, one window of time. A:B on the command line is
// inclusive.

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "analyzer/model/time.h"

namespace moescope {

struct Range {  // inclusive
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  constexpr bool contains(std::int64_t value) const { return value >= first && value <= last; }
  constexpr bool all() const { return first <= 0 && last == std::numeric_limits<std::int64_t>::max(); }
};
// "3", "2:5", "2:", ":5"; nullopt where it is none of these or empty.
std::optional<Range> parse_range(std::string_view text);

struct Scope {
  Range ranks, steps, layers;      // steps: the user's numbers where given, else ordinals
  std::optional<Interval> window;  // intervals are clipped to it
  bool everything() const { return ranks.all() && steps.all() && layers.all() && !window; }
};

}  // namespace moescope

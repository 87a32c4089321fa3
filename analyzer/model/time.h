#pragma once
// SPDX-License-Identifier: Apache-2.0
// Time is integer nanoseconds, everywhere; an interval is half-open, [begin, end).

#include <cstdint>

namespace moescope {

using Ns = std::int64_t;

struct Interval {
  Ns begin = 0, end = 0;
  constexpr Ns length() const { return end > begin ? end - begin : 0; }
  constexpr bool empty() const { return end <= begin; }
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace moescope

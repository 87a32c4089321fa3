// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/device_timeline.h"

namespace moescope {

std::optional<std::size_t> work_before(const Work& work, std::size_t row) {
  for (const std::size_t first = work.trace.track_of(row).first_row; row-- > first;) {
    const ActivityClass activity = work.attribution.activity[row];
    if (activity != ActivityClass::kNone && activity != ActivityClass::kCopy) return row;
  }
  return std::nullopt;
}

}  // namespace moescope

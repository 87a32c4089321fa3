// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/device_timeline.h"

namespace moescope {

std::vector<std::optional<std::size_t>> work_behind(const DeviceWork& device, const IntervalSet& gaps,
                                                    ActivityClass wanted) {
  const std::vector<Ns>& start = device.work.trace.spans.start;
  const std::vector<std::size_t>& rows = device.chosen.rows;  // by start, then row
  std::vector<std::optional<std::size_t>> behind;
  behind.reserve(gaps.intervals().size());
  std::size_t next = 0;
  for (const Interval& gap : gaps.intervals()) {
    while (next < rows.size() && start[rows[next]] < gap.end) ++next;
    std::optional<std::size_t>& found = behind.emplace_back();
    for (std::size_t i = next; i < rows.size() && start[rows[i]] == gap.end && !found; ++i)
      if (wanted == ActivityClass::kUnknown || device.work.attribution.activity[rows[i]] == wanted) found = rows[i];
  }
  return behind;
}

std::optional<std::size_t> work_before(const Work& work, std::size_t row) {
  for (const std::size_t first = work.trace.track_of(row).first_row; row-- > first;) {
    const ActivityClass activity = work.attribution.activity[row];
    if (activity != ActivityClass::kNone && activity != ActivityClass::kCopy) return row;
  }
  return std::nullopt;
}

}  // namespace moescope

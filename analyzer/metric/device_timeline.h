#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the figures about a device's idle time and waiting ask: which of its work ends a gap, and what ran before that.

#include <optional>
#include <vector>

#include "analyzer/metric/work.h"

namespace moescope {

// The work of a class that begins at the very end of a gap, on the lowest stream; kUnknown stands for any class. Gaps
// are asked for in the order of time: all together they cost one walk over the device's rows.
class WorkBehind {
 public:
  explicit WorkBehind(const DeviceWork& device, ActivityClass wanted = ActivityClass::kUnknown)
      : start_(device.work.trace.spans.start),
        activity_(device.work.attribution.activity),
        rows_(device.chosen->rows),
        wanted_(wanted) {}
  std::optional<std::size_t> of(Interval gap) {
    while (next_ < rows_.size() && start_[rows_[next_]] < gap.end) ++next_;
    for (std::size_t i = next_; i < rows_.size() && start_[rows_[i]] == gap.end; ++i)
      if (wanted_ == ActivityClass::kUnknown || activity_[rows_[i]] == wanted_) return rows_[i];
    return std::nullopt;
  }

 private:
  const std::vector<Ns>& start_;
  const Column<ActivityClass>& activity_;
  const std::vector<std::uint32_t>& rows_;  // by start, then row
  ActivityClass wanted_;
  std::size_t next_ = 0;
};
// The work before a row on its stream, copies left out; in scope or not, since it ran.
std::optional<std::size_t> work_before(const Work& work, std::size_t row);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the figures about a device's idle time and waiting ask: which of its work ends a gap, and what ran before that.

#include <optional>
#include <vector>

#include "analyzer/metric/work.h"

namespace moescope {

// The work of a class that begins at the very end of each gap, on the lowest stream; kUnknown stands for any class.
// Linear.
std::vector<std::optional<std::size_t>> work_behind(const DeviceWork& device, const IntervalSet& gaps,
                                                    ActivityClass wanted = ActivityClass::kUnknown);
// The work before a row on its stream, copies left out; in scope or not, since it ran.
std::optional<std::size_t> work_before(const Work& work, std::size_t row);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the figures about a device's idle time and waiting begin with: the spans of its steps, its activity in them, and
// which of its work comes next, or came last, on which stream.

#include <optional>
#include <vector>

#include "analyzer/metric/device_activity.h"

namespace moescope {

// The first start to the last end of each step's work; of all work where there are no steps. What lies between steps is
// nobody's idle time.
IntervalSet step_spans(const Trace& trace, const Attribution& attribution, const Selection& selection,
                       const DeviceRows& device);

// A device's chosen work, stream by stream. Linear to build; a look-up is a binary search a stream.
class StreamWork {
 public:
  StreamWork(const Trace& trace, const Attribution& attribution, const DeviceRows& device);
  // The work of a class that begins at that very instant, on the lowest stream; kUnknown stands for any class.
  std::optional<std::size_t> beginning_at(Ns instant, ActivityClass wanted = ActivityClass::kUnknown) const;
  // The work before a row on its stream, copies left out.
  std::optional<std::size_t> before(std::size_t row) const;

 private:
  const Trace& trace_;
  const Attribution& attribution_;
  std::vector<std::span<const std::size_t>> streams_;  // rows, ascending by start
};

// The host call that launched each of some rows, nullopt where the record has none: the last of the rank's calls with
// the row's correlation that began no later than the work, else the first. One pass over the host's spans.
std::vector<std::optional<std::size_t>> launches_of(const Trace& trace, std::span<const std::size_t> rows);

}  // namespace moescope

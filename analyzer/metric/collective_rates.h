#pragma once
// SPDX-License-Identifier: Apache-2.0
// How fast collectives moved what the record says they moved, by nccl-tests' two rates: algbw = buffer bytes / time,
// and busbw = algbw x a factor of the operation and the group's size, which compares with a link's own rate. Bytes are
// logical (local parts are in them) and a call's time includes waiting for the other ranks.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metric/selection.h"

namespace moescope {

struct CollectiveRateCell {
  std::size_t count = 0;             // calls with a span
  std::size_t with_bytes = 0;        // of these, with their buffer sizes
  Ns time = 0, time_with_bytes = 0;  // summed
  std::int64_t bytes = 0;            // of the larger buffer of each call, summed
  double best_bytes_per_ns = 0;      // of the fastest call
};
struct CollectiveRateRow {
  std::string op;                                        // as the record says it
  std::int32_t group_size = -1;                          // -1 unknown
  std::vector<std::optional<CollectiveRateCell>> cells;  // as Selection::devices
};

std::vector<CollectiveRateRow> collective_rates(const Trace& trace, const Selection& selection);

// nccl-tests' factor, by the operation's name in any library's spelling: all-reduce 2(n-1)/n; all-gather,
// reduce-scatter, all-to-all, gather and scatter (n-1)/n; anything else 1.
double bus_factor(std::string_view op, std::int32_t group_size);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which host call launched a piece of device work: by rank and correlation id. One sort to build, a binary search each.

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/column.h"
#include "analyzer/model/trace.h"

namespace moescope {

// Of every row the row of its launch, as LaunchIndex::launch_of() says; kNoLaunch for none, and for rows of the host.
// Linear, but for ranks whose correlation ids repeat or lie far apart. Tracks' row ranges must be set.
inline constexpr std::uint32_t kNoLaunch = 0xffffffff;
Column<std::uint32_t> launch_rows(const Trace& trace);

class LaunchIndex {
 public:
  // Rows from first_row on; tracks' ranks must be set. The trace must outlive the index and keep its rows in place.
  explicit LaunchIndex(const Trace& trace, std::size_t first_row = 0);
  // The row of the host span with this row's rank and correlation. Where ids repeat, the last that began no later than
  // the work did, else the first. nullopt: no correlation, or its launch is not in the record.
  std::optional<std::size_t> launch_of(std::size_t row) const;

 private:
  struct Launch {
    std::int32_t rank;
    std::int64_t correlation;
    Ns start;
    std::size_t row;
  };
  const Trace& trace_;
  std::vector<Launch> launches_;  // by rank, correlation, start
};

}  // namespace moescope

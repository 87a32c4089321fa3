#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which user range each row lay in when it was launched, and what that range says of it.

#include <cstdint>
#include <vector>

#include "analyzer/model/trace.h"
#include "analyzer/stage/name_meaning.h"

namespace moescope {

struct RangeSays {
  std::int32_t name = -1;  // of the innermost user range
  // By the nearest range outwards that says anything of the kind.
  StageSet stages;
  Pass pass = Pass::kUNKNOWN;
};

// One entry a row. Device work takes its launch's range: the innermost on the launching thread, at the launch. Work
// with no correlation takes the range around it on its own track. A framework's operators and step marks are not user
// ranges. Linear in the rows; the stack of open ranges is kept by track.
std::vector<RangeSays> range_contexts(const Trace& trace, NameMeanings& meanings);

// A range the user named: not an operator's, not a step mark.
bool is_user_range(const Trace& trace, std::size_t row);

}  // namespace moescope

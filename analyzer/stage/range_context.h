#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which user range each row lay in when it was launched, and what that range and those around it say of it.

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/model/trace.h"
#include "analyzer/stage/name_meaning.h"
#include "analyzer/stage/range_words.h"

namespace moescope {

struct RangeSays {
  std::int32_t name = -1;  // of the innermost user range
  // By the nearest range outwards that says anything of the kind.
  StageSet stages;
  Pass pass = Pass::kUNKNOWN;
  LayerId layer;
  MicroBatchId micro_batch;
  std::int32_t step = -1;  // index into RangeContexts::steps, of the outermost
  friend bool operator==(const RangeSays&, const RangeSays&) = default;
};

struct StepRange {  // a range whose name says that it is a step
  RankId rank;
  std::size_t row = 0;
  std::int64_t number = -1;  // -1: its name gives none
  StepKind kind = StepKind::kUNKNOWN;
};

struct RangeContexts {
  std::vector<RangeSays> says;                               // the first one says nothing
  Column<std::int32_t> of;                                   // index into says, one a row
  std::vector<StepRange> steps;                              // in the order of rows
  std::vector<std::pair<std::size_t, std::int32_t>> opened;  // (row of a user range, what it says of work in it)
  const RangeSays& at(std::size_t row) const { return says[static_cast<std::size_t>(of[row])]; }
};

// Device work takes its launch's range: the innermost on the launching thread, at the launch; all kernels of a graph
// that of the graph's launch. What an autograd thread launches with no range of its own takes the range of the forward
// operator it goes back over (by sequence number), else the one then open on the thread that called for it; its pass is
// backward. Work with no launch takes the range around it on its own track. A framework's operators and step marks are
// not user ranges. Linear in the rows. launches: see launch_rows().
RangeContexts range_contexts(const Trace& trace, const Column<std::uint32_t>& launches, NameMeanings& meanings);

// A range the user named: not an operator's, not a step mark.
bool is_user_range(const Trace& trace, std::size_t row);

}  // namespace moescope

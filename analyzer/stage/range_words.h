#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the words of a range's name say, whoever wrote it: a layer, a micro-batch, a pass, a step and its kind.

#include <cstdint>
#include <string_view>

#include "analyzer/model/stage.h"

namespace moescope {

struct RangeWords {
  std::int32_t layer = -1, micro_batch = -1;
  Pass pass = Pass::kUNKNOWN;
  bool step = false;              // the range is a step
  std::int64_t step_number = -1;  // -1: it gives none
  StepKind step_kind = StepKind::kUNKNOWN;
};

// "layer_12", "moe.layers.3", "mb 2", "[F] mb 2", "mlp(B)", "ProfilerStep#5", "step[DECODE bs=4]". A name that says
// two different things of a kind says nothing of it.
RangeWords range_words(std::string_view name);

}  // namespace moescope

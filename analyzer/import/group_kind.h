#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which kind of parallelism a communication group serves, by what its framework calls it.

#include <string_view>

#include "analyzer/model/stage.h"

namespace moescope {

// "EXPERT_MODEL_PARALLEL_GROUP", "mesh_dp_shard", "tp:0". kUNKNOWN where the words name none, or several at once: a
// group over TENSOR_AND_DATA serves both. "expert" beside another kind only says whose group of that kind it is.
GroupKind group_kind(std::string_view description);

}  // namespace moescope

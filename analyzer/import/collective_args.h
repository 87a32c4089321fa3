#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the collective arguments of a Kineto kernel say: which operation, and how many bytes this rank puts on the wire.

#include <cstdint>
#include <string_view>

#include "analyzer/model/stage.h"

namespace moescope {

struct CollectiveArgs {
  std::string_view name, element_type;  // "all_to_allv", "BFloat16"
  std::int64_t elements_in = -1, elements_out = -1, group_size = -1;
  std::string_view in_splits, group_ranks;  // "[1, 2]", as text; may be cut
  std::int64_t rank = -1;                   // of this process, -1 unknown
};

Stage collective_stage(std::string_view name);

// Bytes this rank sends to others, -1 where the arguments don't tell. Ring algorithms' amounts, as nccl-tests' busbw
// counts them: allreduce 2(n-1)/n of its buffer, reduce-scatter and all-gather (n-1)/n of the larger buffer. An
// all-to-all with split sizes sends what its splits say, less the part for itself.
std::int64_t collective_wire_bytes(const CollectiveArgs& args);

// Bytes of one element by the framework's name for its type; 0 unknown.
int element_bytes(std::string_view type);

}  // namespace moescope

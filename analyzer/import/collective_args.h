#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a collective's arguments say by the names PyTorch gives things: which operation it is, how large an element,
// and how many bytes this rank puts on the wire.

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/model/stage.h"

namespace moescope {

struct CollectiveArgs {
  std::string_view name, element_type;  // "all_to_allv", "BFloat16"
  std::int64_t elements_in = -1, elements_out = -1, group_size = -1;
  bool has_splits = false;              // the record says that parts differ; in_splits is empty where it is cut
  std::vector<std::int64_t> in_splits;  // elements, or rows of them, for each member
  std::int64_t position = -1;           // of this rank in the group, -1 unknown
};

Stage collective_stage(std::string_view name);

// Bytes this rank sends to others, -1 where the arguments don't tell. Ring algorithms' amounts, as nccl-tests' busbw
// counts them: allreduce 2(n-1)/n of its buffer, reduce-scatter and all-gather (n-1)/n of the larger buffer. An
// all-to-all with split sizes sends what its splits say, less the part for itself.
std::int64_t collective_wire_bytes(const CollectiveArgs& args);

// Split sizes count rows of the buffer's first dimension: turned into elements where they divide the buffer evenly.
// Empty where they don't, or their number isn't the group's.
std::vector<std::int64_t> split_elements(const std::vector<std::int64_t>& splits, std::int64_t group_size,
                                         std::int64_t elements);

// Bytes of one element by the framework's name for its type; 0 unknown.
int element_bytes(std::string_view type);
// Of a buffer; -1 unknown.
std::int64_t buffer_bytes(std::int64_t elements, std::string_view type);

}  // namespace moescope

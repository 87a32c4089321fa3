#pragma once
// SPDX-License-Identifier: Apache-2.0
// The collector's side of moescope/annotate.h.

#include <cstdint>

#include "moescope/annotate.h"

namespace moescope::collector {

// The table for that ABI, or nullptr.
const moescope_api_table_t* annotation_table(std::uint32_t abi);

}  // namespace moescope::collector

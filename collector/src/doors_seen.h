#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which doors of the job called us, and how often: goes into the run file's diagnostics, because an NVTX range that
// never came can only be explained by a library that never called.

#include <atomic>
#include <cstdint>

namespace moescope::collector {

struct DoorsSeen {
  std::atomic<std::uint64_t> nvtx{0}, nvtx_extension{0}, cuda{0};
};
inline constinit DoorsSeen doors_seen;

}  // namespace moescope::collector

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The NVTX domains and registered strings of this process. Handles given to the job are addresses of these; they are
// never freed (the same text gives the same handle again), so a record may carry them.

#include <cstdint>
#include <string>
#include <string_view>

namespace moescope::collector {

struct NvtxDomain {
  std::uint32_t id;  // from 1; the default domain is 0 and has no handle
  std::string name;
};
struct NvtxString {
  std::string text;
};

// nullptr where there is no memory. Any thread.
const NvtxDomain* nvtx_domain(std::string_view name);
const NvtxString* nvtx_string(const NvtxDomain* domain, std::string_view text);

// Around fork().
void lock_nvtx_names();
void unlock_nvtx_names();

}  // namespace moescope::collector

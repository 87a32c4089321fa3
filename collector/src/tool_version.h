#pragma once
// SPDX-License-Identifier: Apache-2.0
// The release that writes: run.tool_version.

namespace moescope::collector {

inline constexpr const char* kToolVersion = MOESCOPE_VERSION;

}  // namespace moescope::collector

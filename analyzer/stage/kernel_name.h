#pragma once
// SPDX-License-Identifier: Apache-2.0
// Kernel names as rules want them. Profilers give them mangled, demangled in two styles, or cut.

#include <string>
#include <string_view>

namespace moescope {

// A mangled name demangled; anything else, and what the demangler refuses, as it is. The raw name stays in the trace.
std::string readable_kernel_name(std::string_view raw);

}  // namespace moescope

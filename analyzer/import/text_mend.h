#pragma once
// SPDX-License-Identifier: Apache-2.0
// Traces hold names with raw control characters and bytes that are not UTF-8. JSON allows neither.

#include <cstddef>

namespace moescope {

// Overwrites in place: control characters inside strings with spaces, bytes that are not UTF-8 with '?'. Returns how
// many bytes it changed.
std::size_t mend_json_text(char* text, std::size_t size);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which known word a mistyped one was probably meant to be, for messages that say how to mend an input.

#include <string>
#include <string_view>
#include <vector>

namespace moescope {

// The one with the fewest letters inserted, deleted or replaced; the first of equals. known must not be empty.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the collector lies, and whether this system's loader takes it.

#include <string>

namespace moescope::launch {

// The path of libmoescope.so: beside this program or in the lib folder next to it, in a build tree as when installed.
// Empty where it isn't there.
std::string find_collector();

// Preloads it into a trivial program. Empty: fine; otherwise what the loader said.
std::string try_preload(const std::string& collector);

// A program that no preload reaches: what it is ("a static executable"), or empty.
std::string why_unreachable(const std::string& program);

}  // namespace moescope::launch

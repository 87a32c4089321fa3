#pragma once
// SPDX-License-Identifier: Apache-2.0
// Thrown on import only: the input can't be read. The CLI prints it as one line and exits with 2.

#include <stdexcept>
#include <string>
#include <string_view>

namespace moescope {

struct TraceError : std::runtime_error {
  // file: path as the user gave it; place: "byte 123", "table span", ... or empty; what: the trouble; mend: what to do.
  // Any of them may quote the input: control characters become escapes, so that it stays one line.
  TraceError(const std::string& file, const std::string& place, const std::string& trouble, const std::string& mend);
};

// Control characters as \n, \t, \xNN; all else as it is.
std::string on_one_line(std::string_view text);

}  // namespace moescope

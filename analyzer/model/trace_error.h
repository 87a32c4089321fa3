#pragma once
// SPDX-License-Identifier: Apache-2.0
// Thrown on import only: the input can't be read. The CLI prints it as one line and exits with 2.

#include <stdexcept>
#include <string>

namespace moescope {

struct TraceError : std::runtime_error {
  // file: path as the user gave it; place: "byte 123", "table span", ... or empty; what: the trouble; mend: what to do.
  TraceError(const std::string& file, const std::string& place, const std::string& trouble, const std::string& mend)
      : std::runtime_error(file + (place.empty() ? "" : ": " + place) + ": " + trouble +
                           (mend.empty() ? "" : "; " + mend)) {}
};

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/trace_error.h"

namespace moescope {

std::string on_one_line(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else {
      line += "\\x";
      line += kDigits[byte >> 4];
      line += kDigits[byte & 15];
    }
  }
  return line;
}

TraceError::TraceError(const std::string& file, const std::string& place, const std::string& trouble,
                       const std::string& mend)
    : std::runtime_error(on_one_line(file + (place.empty() ? "" : ": " + place) + ": " + trouble +
                                     (mend.empty() ? "" : "; " + mend))) {}

}  // namespace moescope

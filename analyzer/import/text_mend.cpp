// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/text_mend.h"

#include <cstdint>

namespace moescope {
namespace {

// Length of the well-formed UTF-8 sequence at the start of text, 0 where there is none (no overlong forms, no
// surrogates, nothing above U+10FFFF).
std::size_t utf8_sequence(const unsigned char* text, std::size_t size) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint32_t code = 0, least = 0;
  if ((lead & 0xe0) == 0xc0)
    length = 2, code = lead & 0x1fu, least = 0x80;
  else if ((lead & 0xf0) == 0xe0)
    length = 3, code = lead & 0x0fu, least = 0x800;
  else if ((lead & 0xf8) == 0xf0)
    length = 4, code = lead & 0x07u, least = 0x10000;
  if (length == 0 || length > size) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[i] & 0x3fu);
  }
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 0;
  return length;
}

}  // namespace

std::size_t mend_json_text(char* text, std::size_t size) {
  auto* const bytes = reinterpret_cast<unsigned char*>(text);
  std::size_t changed = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < size;) {
    const unsigned char c = bytes[i];
    if (in_string && c == '\\' && i + 1 < size && bytes[i + 1] >= 0x20 && bytes[i + 1] < 0x80) {
      i += 2;
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (c < 0x20 && in_string) {
      bytes[i] = ' ';
      ++changed;
    }
    const std::size_t length = utf8_sequence(bytes + i, size - i);
    if (length == 0) {
      bytes[i] = '?';
      ++changed;
    }
    i += length == 0 ? 1 : length;
  }
  return changed;
}

}  // namespace moescope

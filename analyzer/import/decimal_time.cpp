// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/decimal_time.h"

#include <charconv>
#include <limits>

namespace moescope {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view bare(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text.remove_prefix(1);
    text.remove_suffix(1);
  }
  return text;
}

// "1234.567": what nearly every time looks like. nullopt: anything else, which the long way then reads.
std::optional<std::int64_t> plain_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 16;  // before the dot; with three behind it 64 bits hold them
  std::uint64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
  if (at == 0 || at > kMostDigits) return std::nullopt;
  int missing = 3;
  if (at < text.size() && text[at] == '.')
    for (++at; at < text.size() && is_digit(text[at]) && missing > 0; ++at, --missing)
      value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
  if (at != text.size()) return std::nullopt;
  for (; missing > 0; --missing) value *= 10;
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text) {
  if (const auto plain = plain_number(text)) return plain;
  text = bare(text);
  std::size_t at = 0;
  const auto here = [&] { return at < text.size() ? text[at] : '\0'; };
  const bool negative = here() == '-';
  if (here() == '-' || here() == '+') ++at;
  // value = digits * 10^scale microseconds. Digits beyond the 19th are below a nanosecond or beyond 64 bits,
  // except in the integer part, where they still count for the scale.
  constexpr int kKept = 19;
  std::uint64_t digits = 0;
  int kept = 0, scale = 0;
  bool any = false, dot = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !dot) {
      dot = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (kept < kKept) {
      digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
      if (digits != 0) ++kept;
      if (dot) --scale;
    } else if (!dot) {
      ++scale;
    }
  }
  if (!any) return std::nullopt;
  if (here() == 'e' || here() == 'E') {
    ++at;
    if (here() == '+') ++at;
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
    if (error != std::errc{} || exponent > 1000 || exponent < -1000) return std::nullopt;
    at = static_cast<std::size_t>(end - text.data());
    scale += exponent;
  }
  if (at != text.size()) return std::nullopt;
  scale += 3;  // to nanoseconds
  for (; scale < 0 && digits != 0; ++scale) digits /= 10;
  for (; scale > 0 && digits != 0; --scale) {
    if (digits > std::numeric_limits<std::uint64_t>::max() / 10) return std::nullopt;
    digits *= 10;
  }
  if (digits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  const auto value = static_cast<std::int64_t>(digits);
  return negative ? -value : value;
}

std::optional<std::int64_t> integer_from_json(std::string_view text) {
  text = bare(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace moescope

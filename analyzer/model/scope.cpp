// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/scope.h"

#include <charconv>

namespace moescope {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Range> parse_range(std::string_view text) {
  const std::size_t colon = text.find(':');
  Range range;
  if (colon == std::string_view::npos) {
    const auto only = number(text);
    if (!only) return std::nullopt;
    return Range{*only, *only};
  }
  const std::string_view first = text.substr(0, colon), last = text.substr(colon + 1);
  if (first.empty() && last.empty()) return std::nullopt;
  if (!first.empty()) {
    const auto value = number(first);
    if (!value) return std::nullopt;
    range.first = *value;
  }
  if (!last.empty()) {
    const auto value = number(last);
    if (!value) return std::nullopt;
    range.last = *value;
  }
  if (range.first > range.last) return std::nullopt;
  return range;
}

}  // namespace moescope

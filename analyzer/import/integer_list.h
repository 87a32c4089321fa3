#pragma once
// SPDX-License-Identifier: Apache-2.0
// Lists that traces write as text: "[0, 1, 2]", or cut after some thirty: "[0, 1, ...]".

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace moescope {

template <class Integer>
struct IntegerList {
  std::vector<Integer> values;  // what is there of it
  bool cut = false;
};

// nullopt: not a list of numbers from 0 on.
template <class Integer = std::int64_t>
std::optional<IntegerList<Integer>> integer_list(std::string_view text) {
  if (text.size() < 2 || text.front() != '[') return std::nullopt;
  IntegerList<Integer> list;
  text.remove_prefix(1);
  for (;;) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    if (text == "]") return list;
    if (text.empty() || text.starts_with("...")) {
      list.cut = true;
      return list;
    }
    Integer value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    list.values.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

// Only where nothing is cut off.
template <class Integer = std::int64_t>
std::optional<std::vector<Integer>> whole_integer_list(std::string_view text) {
  auto list = integer_list<Integer>(text);
  if (!list || list->cut) return std::nullopt;
  return std::move(list->values);
}

}  // namespace moescope

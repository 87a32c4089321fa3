#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which of several hundred patterns can match a name at all, in one pass over the name: each pattern needs a text of
// each of a few lists, and of each text four bytes that are rare among all texts are looked up at every place of the
// name. Tens of KB; a few nanoseconds a byte.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace moescope {

class NameFilter {
 public:
  NameFilter() = default;
  // needed[i]: lists of texts of four bytes or more; a match of pattern i holds one of each. None: it can always match.
  explicit NameFilter(const std::vector<std::vector<std::vector<std::string>>>& needed);
  // A bit a pattern, pattern i in bit i % 64 of word i / 64. Never misses one that matches.
  std::vector<std::uint64_t> possible(std::string_view name) const;

 private:
  struct Entry {  // a text, by four of its bytes
    std::uint32_t key;
    std::uint32_t offset;  // of those bytes in the text
    std::uint32_t text;
    std::uint32_t pattern;
    std::uint8_t list;  // of the pattern
  };
  std::vector<std::string> texts_;
  std::vector<Entry> entries_;          // by bucket
  std::vector<std::uint32_t> buckets_;  // first entry of each bucket, and one past the last
  std::vector<std::uint8_t> lists_;     // of each pattern, a bit a list
};

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// A small regular-expression matcher for kernel names, which run to tens of kilobytes: time is linear in the name, for
// any pattern and any name (no backtracking, no recursion on the name).
//
// Syntax, a subset that reads the same in RE2, ECMAScript and Python: literals; . \w \d \s \b; [a-z_] and [^...];
// (?:...) and (...); |; ^ $; the quantifiers * + ? {m} {m,} {m,n}, lazy or not (only whether it matches is asked). A
// backslash before any other punctuation makes it a literal. Bytes, not characters.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace moescope {

class NamePattern {
 public:
  // Throws std::invalid_argument with the position and the trouble.
  explicit NamePattern(std::string_view pattern);
  // Whether the pattern occurs anywhere in the name.
  bool found_in(std::string_view name) const;
  // Texts of which every match contains at least one; empty where there are none. A cheap test before the real one.
  const std::vector<std::string>& needed_texts() const { return needed_; }
  // Such lists, the strongest few: a match contains a text of each. Texts of four bytes and more only.
  const std::vector<std::vector<std::string>>& needed_lists() const { return needed_lists_; }
  // The same answer without that test: for holding one against the other.
  bool found_by_automaton(std::string_view name) const;

  struct Set {  // of bytes
    std::uint64_t bits[4] = {0, 0, 0, 0};
    void add(unsigned char c) { bits[c >> 6] |= std::uint64_t{1} << (c & 63); }
    void add(const Set& other) {
      for (int i = 0; i < 4; ++i) bits[i] |= other.bits[i];
    }
    bool has(unsigned char c) const { return (bits[c >> 6] >> (c & 63)) & 1; }
  };
  struct Instruction {
    enum class Kind : std::uint8_t { kByte, kSet, kSplit, kJump, kBegin, kEnd, kWordEdge, kMatch };
    Kind kind = Kind::kMatch;
    unsigned char byte = 0;
    std::int32_t to = 0, other = 0;  // kSplit: both; kJump: to; kSet: index in sets_
    std::int32_t ahead = -1;         // kSplit: index in sets_ of the bytes it can go on with; -1: also without one
  };

 private:
  std::vector<Instruction> program_;
  std::vector<Set> sets_;
  std::vector<std::string> needed_;
  std::vector<std::vector<std::string>> needed_lists_;
  Set first_;                   // the bytes a match can begin with
  bool takes_nothing_ = false;  // a match may hold no byte
  bool at_begin_only_ = false;  // a match begins where the name does
  struct Ahead {
    Set bytes;
    bool nothing = false, past_begin_only = true;
  };
  Ahead ahead_of(std::int32_t state) const;
};

}  // namespace moescope

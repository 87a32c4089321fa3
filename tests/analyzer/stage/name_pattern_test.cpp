// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/name_pattern.h"

#include <chrono>
#include <random>
#include <regex>
#include <stdexcept>

#include "tests/support/catch.h"

using namespace moescope;

namespace {

// A random pattern of the subset; budget bounds its size.
std::string random_pattern(std::mt19937& random, int budget) {
  static const char* const kAtoms[] = {"a",   "b",      "c",      "_", ":",  "<",   "\\w",      "\\d",
                                       "\\b", "[ab]",   "[^ab]",  ".", "ab", "a1",  "\\(",      "[a-c]",
                                       "\\.", "[_:<>]", "[^<>:]", "1", "::", "\\s", "(?:ab|c)", "(?:a|b1|)"};
  std::string pattern;
  for (int i = 0; i < budget; ++i) {
    std::string atom = kAtoms[random() % std::size(kAtoms)];
    const bool quantifiable = atom != "\\b" && !(atom.size() == 2 && atom[0] != '\\');
    if (quantifiable) {
      static const char* const kQuantifiers[] = {"", "", "", "*", "+", "?", "{2}", "{1,2}", "*?"};
      atom += kQuantifiers[random() % std::size(kQuantifiers)];
    }
    pattern += atom;
    if (random() % 6 == 0) pattern += "|";
  }
  if (random() % 8 == 0) pattern = "^" + pattern;
  if (random() % 8 == 0) pattern += "$";
  return pattern;
}

std::string random_name(std::mt19937& random) {
  static const char kBytes[] = "aabbc1_:<>( .x";
  std::string name;
  for (unsigned long i = 0, n = random() % 14; i < n; ++i) name += kBytes[random() % (sizeof kBytes - 1)];
  return name;
}

std::string trouble_with(const std::string& pattern) {
  try {
    NamePattern compiled(pattern);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("patterns find what std::regex finds, with and without the cheap test before") {
  std::mt19937 random(5);
  std::size_t found = 0;
  for (int round = 0; round < 4'000; ++round) {
    const std::string pattern = random_pattern(random, 1 + static_cast<int>(random() % 5));
    const std::regex oracle(pattern);
    const NamePattern compiled(pattern);
    for (int i = 0; i < 25; ++i) {
      const std::string name = random_name(random);
      const bool expected = std::regex_search(name, oracle);
      found += expected;
      INFO("pattern " << pattern << " name " << name);
      REQUIRE(compiled.found_by_automaton(name) == expected);
      REQUIRE(compiled.found_in(name) == expected);
    }
  }
  CHECK(found > 10'000);  // neither everything nor nothing
  CHECK(found < 90'000);
}

TEST_CASE("anchors, word edges, classes and repeats, one by one") {
  const auto finds = [](const char* pattern, const char* name) { return NamePattern(pattern).found_in(name); };
  CHECK(finds("^abc", "abcd"));
  CHECK_FALSE(finds("^abc", "xabc"));
  CHECK(finds("abc$", "xabc"));
  CHECK_FALSE(finds("abc$", "abcd"));
  CHECK(finds("\\bdispatch<", "ns::dispatch<8>"));
  CHECK_FALSE(finds("\\bdispatch<", "ns::pre_dispatch<8>"));
  CHECK(finds("(?:_Z\\d+)?nccl", "_Z40ncclDevKernel"));
  CHECK(finds("^(?:_Z\\d+)?nccl", "ncclDevKernel"));
  CHECK(finds("a{3}", "aaa"));
  CHECK_FALSE(finds("^a{3}$", "aaaa"));
  CHECK(finds("^a{2,}$", "aaaa"));
  CHECK_FALSE(finds("^a{2,}$", "a"));
  CHECK(finds("^a{1,3}$", "aaa"));
  CHECK_FALSE(finds("^a{1,3}$", "aaaa"));
  CHECK(finds("^[^<>]*$", "no angle"));
  CHECK_FALSE(finds("^[^<>]*$", "an <angle"));
  CHECK(finds("[]x]", "]"));
  CHECK(finds("[a-]", "-"));
  CHECK(finds("", "anything"));
  CHECK(finds("a|", ""));
  CHECK_FALSE(finds("^.$", "\n"));
}

TEST_CASE("what every match contains is known, so that most patterns need no automaton") {
  CHECK(NamePattern("\\b(?:deep_ep|dpsk::ep)::internode::dispatch<").needed_texts() ==
        std::vector<std::string>{"::internode::dispatch<"});
  CHECK(NamePattern("^(?:one|three)_\\w*").needed_texts() == std::vector<std::string>{"one", "three"});
  CHECK(NamePattern("a*b?").needed_texts().empty());
}

TEST_CASE("time is linear: a pattern and a name on which backtracking would not end") {
  const NamePattern pattern("(?:a|a)*(?:a|aa)+(?:a*)*b$");
  const std::string name(200'000, 'a');
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(pattern.found_by_automaton(name));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("a pattern that can't be read says where and why") {
  CHECK(trouble_with("a(b") == "position 3: a ) was expected");
  CHECK(trouble_with("a)") == "position 1: a ) without its (");
  CHECK(trouble_with("[ab") == "position 3: a ] was expected");
  CHECK(trouble_with("*a") == "position 0: nothing to repeat");
  CHECK(trouble_with("(?=a)") == "position 2: only (?: is known");
  CHECK(trouble_with("a**") == "position 3: a repeat of a repeat");
  CHECK(trouble_with("\\q") == "position 2: unknown escape \\q");
  CHECK(trouble_with("a{2,1}") == "position 6: {m,n} with n below m");
  CHECK(trouble_with("a{9999}").find("more than 64") != std::string::npos);
  CHECK(trouble_with("a\\") == "position 2: a lone backslash");
  CHECK(trouble_with("(?:(?:(?:(?:a{64}){64}){64}){64}){64}") == "the pattern is too large");
  CHECK(trouble_with("(?:(?:(?:(?:(?:){64}){64}){64}){64}){64}") == "the pattern is too large");
  CHECK(trouble_with(std::string(9'000, 'a')).find("longer than") != std::string::npos);
  CHECK(trouble_with(std::string(200, '(')).find("nested too deeply") != std::string::npos);
}

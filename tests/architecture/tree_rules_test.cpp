// SPDX-License-Identifier: Apache-2.0
// What the house says of every file: a licence line, a size, a guard, names and words that are banned.
#include <regex>

#include "tests/architecture/source_tree.h"
#include "tests/support/catch.h"

using namespace moescope::test;

TEST_CASE("every source file says its licence, and every header guards itself") {
  for (const std::string& file : source_files()) {
    if (!is_source(file) && !file.ends_with(".sql") && !file.ends_with("CMakeLists.txt") && !file.ends_with(".sh"))
      continue;
    if (file.starts_with("tests/cases/")) continue;  // inputs of declarative cases are data
    CAPTURE(file);
    const std::string text = read(file);
    CHECK(text.substr(0, 400).find("SPDX-License-Identifier: Apache-2.0") != std::string::npos);
    if (file.ends_with(".h"))
      CHECK((text.find("#pragma once") != std::string::npos || text.find("#ifndef MOESCOPE_") != std::string::npos));
  }
}

TEST_CASE("a file holds one idea: at most 500 lines") {
  for (const std::string& file : source_files()) {
    if (!is_source(file)) continue;
    const std::string text = read(file);
    CAPTURE(file);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 500);
  }
}

TEST_CASE("no folder or file has a name that says nothing") {
  static const std::regex nothing(R"((^|/)(common|utils?|helpers?|misc|manager|stuff)(/|\.|$))");
  for (const std::string& file : source_files()) {
    CAPTURE(file);
    CHECK_FALSE(std::regex_search(file, nothing));
  }
}

TEST_CASE("a bandwidth is gb_s: the ambiguous unit is banned from code, SQL and JSON") {
  const std::string banned = std::string("gb") + "ps";
  for (const std::string& file : source_files()) {
    if (!is_source(file) && !file.ends_with(".sql") && !file.ends_with(".json") && !file.ends_with(".sh")) continue;
    std::string text = read(file);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    CAPTURE(file);
    CHECK(text.find(banned) == std::string::npos);
  }
}

TEST_CASE("nothing is marked as unfinished") {
  static const std::regex marks(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  for (const std::string& file : source_files()) {
    if (!is_source(file) && !file.ends_with(".sh")) continue;
    const std::string text = read(file);
    CAPTURE(file);
    CHECK_FALSE(std::regex_search(text, marks));
  }
}

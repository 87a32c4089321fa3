// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/scope.h"

#include "tests/support/catch.h"

using moescope::parse_range;

TEST_CASE("ranges are inclusive, and either end may be open") {
  CHECK(parse_range("3")->contains(3));
  CHECK_FALSE(parse_range("3")->contains(4));
  CHECK(parse_range("2:5")->contains(5));
  CHECK_FALSE(parse_range("2:5")->contains(6));
  CHECK(parse_range("2:")->contains(1000000));
  CHECK(parse_range(":5")->contains(0));
}

TEST_CASE("what is no range is refused") {
  for (const char* text : {"", ":", "a", "1:b", "5:2", "-1:3", "1:2:3", "1 ", "0x3"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_range(text).has_value());
  }
}

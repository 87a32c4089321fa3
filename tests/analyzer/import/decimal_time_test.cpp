// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/decimal_time.h"

#include <random>

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("microseconds become nanoseconds exactly") {
  const auto ns = nanoseconds_from_microseconds;
  CHECK(ns("0") == 0);
  CHECK(ns("12") == 12'000);
  CHECK(ns("12.3") == 12'300);
  CHECK(ns("12.3456789") == 12'345);
  CHECK(ns("\"12.5\"") == 12'500);
  CHECK(ns(" 7 \n") == 7'000);
  CHECK(ns("-1.5") == -1'500);
  CHECK(ns("1740461679471346.123") == 1'740'461'679'471'346'123);  // a double would give ...346.25
  CHECK(ns("1740461679471346.1239999") == 1'740'461'679'471'346'123);
  CHECK(ns("1.740461679471346e15") == 1'740'461'679'471'346'000);
  CHECK(ns("1.5E-2") == 15);
  CHECK(ns("1e-9") == 0);
  CHECK(ns("000000000000000000000000001.5") == 1'500);
}

TEST_CASE("what is no time, or no time of ours, is refused") {
  for (const char* text : {"", " ", "\"\"", "abc", "1.2.3", "1e", "--1", "1x", "NaN", "inf", "null", "1e99", "1e400",
                           "9223372036854775807", "99999999999999999999"})
    CHECK_FALSE(nanoseconds_from_microseconds(text).has_value());
  CHECK(nanoseconds_from_microseconds("9223372036854775.807") == 9'223'372'036'854'775'807);
  CHECK_FALSE(nanoseconds_from_microseconds("9223372036854775.808").has_value());
}

TEST_CASE("any number of nanoseconds survives being written as microseconds") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<std::int64_t>(random() >> (1 + random() % 63));
    std::string fraction = std::to_string(value % 1000);
    fraction.insert(0, 3 - fraction.size(), '0');
    const std::string text = std::to_string(value / 1000) + "." + fraction;
    CHECK(nanoseconds_from_microseconds(text) == value);
    CHECK(nanoseconds_from_microseconds("-" + text) == -value);
  }
}

TEST_CASE("integers, bare or quoted") {
  CHECK(integer_from_json("42") == 42);
  CHECK(integer_from_json(" \"42\" ") == 42);
  CHECK(integer_from_json("-1") == -1);
  for (const char* text : {"", "4.2", "4e2", "x", "99999999999999999999"})
    CHECK_FALSE(integer_from_json(text).has_value());
}

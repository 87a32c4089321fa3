// SPDX-License-Identifier: Apache-2.0
#include "gui/core/time_text.h"

#include "tests/support/catch.h"

using namespace moescope::gui;

TEST_CASE("durations have three significant digits") {
  CHECK(duration_text(0) == "0 ns");
  CHECK(duration_text(523) == "523 ns");
  CHECK(duration_text(999) == "999 ns");
  CHECK(duration_text(12'345) == "12.3 µs");
  CHECK(duration_text(999'600) == "1.00 ms");
  CHECK(duration_text(1'240'000) == "1.24 ms");
  CHECK(duration_text(2.5e9) == "2.50 s");
  CHECK(duration_text(-12'345) == "-12.3 µs");
}

TEST_CASE("amounts carry a prefix, and small whole ones no fraction") {
  CHECK(amount_text(512, "B") == "512 B");
  CHECK(amount_text(1.27e9, "B") == "1.27 GB");
  CHECK(amount_text(312.4e12, "FLOP/s") == "312 TFLOP/s");
  CHECK(amount_text(0.5, "B") == "0.50 B");
  CHECK(percent_text(0.9631) == "96.3 %");
}

TEST_CASE("a time without a unit is in milliseconds") {
  CHECK(parse_time("12.5") == 12.5e6);
  CHECK(parse_time("12.5ms") == 12.5e6);
  CHECK(parse_time("3us") == 3e3);
  CHECK(parse_time("3µs") == 3e3);
  CHECK(parse_time("250ns") == 250.0);
  CHECK(parse_time("1.5s") == 1.5e9);
  for (const char* const wrong : {"", "ms", "3 ms", "3min", "nan", "inf", "1e999", "--3", "0x10"}) {
    INFO(wrong);
    CHECK_FALSE(parse_time(wrong));
  }
}

TEST_CASE("a range may leave out its sides, and never runs backwards") {
  const auto range = parse_time_range("1:2.5", 1e9);
  REQUIRE(range);
  CHECK(range->begin == 1e6);
  CHECK(range->end == 2.5e6);
  CHECK(parse_time_range(":3ms", 1e9)->begin == 0);
  CHECK(parse_time_range("800us:", 1e9)->end == 1e9);
  CHECK(parse_time_range(":", 1e9)->begin == 0);
  CHECK(parse_time_range(":", 1e9)->end == 1e9);
  for (const char* const wrong : {"", "1", "2:1", "1:1", "1:2:3", "a:b", "1;2"}) {
    INFO(wrong);
    CHECK_FALSE(parse_time_range(wrong, 1e9));
  }
}

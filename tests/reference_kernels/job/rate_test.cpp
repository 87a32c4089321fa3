// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/rate.h"

#include "tests/support/catch.h"

using namespace moescope::reference;

TEST_CASE("rates are read with their units") {
  CHECK(*parse_byte_rate("50GB/s") == Approx(50e9));
  CHECK(*parse_byte_rate("400Gb/s") == Approx(50e9));
  CHECK(*parse_byte_rate("0.25GB/s") == Approx(0.25e9));
  CHECK(*parse_byte_rate("1e6B/s") == Approx(1e6));
  CHECK(*parse_byte_rate("8kb/s") == Approx(1e3));
  CHECK(*parse_flop_rate("32e9") == Approx(32e9));
  CHECK(*parse_flop_rate("989T") == Approx(989e12));
  CHECK(*parse_flop_rate("1.979PFLOP/s") == Approx(1.979e15));
}

TEST_CASE("rates without a unit, without a number or not above zero are refused") {
  for (const char* wrong :
       {"", "50", "50G", "GB/s", "50GB", "50GB/s ", "-1GB/s", "0GB/s", "nanGB/s", "infGB/s", "50gb/s"}) {
    CHECK_FALSE(parse_byte_rate(wrong).has_value());
  }
  for (const char* wrong : {"", "T", "0", "-3e9", "32e9x", "inf"}) CHECK_FALSE(parse_flop_rate(wrong).has_value());
}

TEST_CASE("lists want their size and no negative numbers") {
  CHECK(*parse_list("1,2.5,0", 3) == std::vector<double>{1, 2.5, 0});
  CHECK(parse_list("7", 0)->size() == 1);
  for (const char* wrong : {"", "1,2", "1,2,3,4", "1,,3", "1,2,x", "1,2,-3", "1,2,3,", "1 ,2,3"}) {
    CHECK_FALSE(parse_list(wrong, 3).has_value());
  }
}

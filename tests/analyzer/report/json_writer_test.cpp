// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/json_writer.h"

#include <simdjson.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("JSON numbers read back as the same double, and whole ones have no point") {
  std::mt19937_64 random(3);
  simdjson::dom::parser parser;
  for (int i = 0; i < 20000; ++i) {
    const double number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    JsonWriter json;
    json.begin_array();
    json.value(number);
    json.end_array();
    const std::string text = json.take();
    double back = 0;
    REQUIRE(parser.parse(text).at(0).get_double().get(back) == simdjson::SUCCESS);
    CHECK(back == number);
  }
  JsonWriter json;
  json.begin_array(JsonWriter::Layout::kLine);
  json.value(3.0);
  json.value(-0.5);
  json.value(1e300);
  json.value(std::int64_t{9223372036854775807});
  json.value(true);
  json.end_array();
  CHECK(json.take() == "[3, -0.5, 1e+300, 9223372036854775807, true]\n");
}

TEST_CASE("JSON never holds what is not a number") {
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    JsonWriter json;
    CHECK_THROWS_AS(json.value(number), std::logic_error);
  }
}

TEST_CASE("JSON text is valid UTF-8 whatever bytes come in") {
  CHECK(valid_utf8("Grüße 漢字 \xF0\x9F\x98\x80") == "Grüße 漢字 \xF0\x9F\x98\x80");
  CHECK(valid_utf8("a\xFFz") == "a\xEF\xBF\xBDz");
  CHECK(valid_utf8("\xC0\xAF").find('\xC0') == std::string::npos);          // overlong
  CHECK(valid_utf8("\xED\xA0\x80").find('\xED') == std::string::npos);      // surrogate
  CHECK(valid_utf8("\xF4\x90\x80\x80").find('\xF4') == std::string::npos);  // beyond the last code point
  CHECK(valid_utf8("cut \xE6\xBC") == "cut \xEF\xBF\xBD\xEF\xBF\xBD");
  std::mt19937 random(9);
  simdjson::dom::parser parser;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 24, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    JsonWriter json;
    json.begin_object();
    json.field(bytes, bytes);
    json.end_object();
    const std::string text = json.take();
    CHECK(simdjson::validate_utf8(text));
    CHECK(parser.parse(text).error() == simdjson::SUCCESS);
  }
}

TEST_CASE("JSON layout: blocks are indented, lines stay lines") {
  JsonWriter json;
  json.begin_object();
  json.field("a", 1);
  json.key("b");
  json.begin_array();
  json.begin_object(JsonWriter::Layout::kLine);
  json.field("c", "x\"\\\n");
  json.field("d", false);
  json.end_object();
  json.end_array();
  json.key("e");
  json.begin_array();
  json.end_array();
  json.end_object();
  CHECK(json.take() ==
        "{\n  \"a\": 1,\n  \"b\": [\n    {\"c\": \"x\\\"\\\\\\n\", \"d\": false}\n  ],\n  \"e\": []\n}\n");
}

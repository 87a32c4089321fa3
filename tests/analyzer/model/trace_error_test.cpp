// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/trace_error.h"

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("An error that quotes its input stays one line") {
  const TraceError error("run/a.npy", "byte 10", "element type 'i\n8\r\x01\x7f' is not known", "save\tit as int64");
  CHECK(std::string(error.what()) ==
        "run/a.npy: byte 10: element type 'i\\n8\\x0d\\x01\\x7f' is not known; save\\tit as int64");
}

TEST_CASE("Text of other languages is left as it is") {
  CHECK(on_one_line("Läufe/模型.json") == "Läufe/模型.json");
  CHECK(on_one_line(std::string_view("\0", 1)) == "\\x00");
}

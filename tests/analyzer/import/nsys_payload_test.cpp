// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nsys_payload.h"
#include "tests/analyzer/import/nsys_export.h"
#include "tests/support/process.h"

using namespace moescope;
using test::NsysExport;
using test::NsysPayloadBytes;

namespace {

void add_schemas(NsysExport& file) {
  file.sql("CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, name TEXT, payloadSize INTEGER)");
  file.sql(
      "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT "
      "NULL, type INTEGER, name TEXT, offset INTEGER)");
  for (int process = 0; process < 2; ++process) {  // each process brings the same rows
    file.sql("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1, 700, NULL, 24)");
    file.sql(
        "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, 700, 0, 18, 'id', NULL), (1, 700, 1, 22, 'size', 8), "
        "(1, 700, 2, 5, 'peer', 16), (1, 700, 3, 19, 'a float', 20), (1, 700, 4, 18, 'past the end', 17), "
        "(1, 700, 5, 18, 'before it', -4), (2, 9, 0, 18, 'of no schema', 0)");
  }
}

}  // namespace

TEST_CASE("a payload is read by its schema; one that doesn't fit it is not") {
  const test::ScratchFolder folder;
  {
    NsysExport file(folder / "a.sqlite");
    add_schemas(file);
  }
  NsysFile file(folder / "a.sqlite");
  const NsysPayloads payloads(file);
  const std::string good = NsysPayloadBytes(700)
                               .add(std::uint64_t{0xfedcba9876543210})
                               .add(std::uint64_t{65'536})
                               .add(std::int32_t{-2})
                               .add(float{1})
                               .bytes();
  const auto values = payloads.decode(1, good);
  REQUIRE(values);
  REQUIRE(values->size() == 3);
  CHECK((*values)[0].label == "id");
  CHECK(static_cast<std::uint64_t>((*values)[0].value) == 0xfedcba9876543210);
  CHECK((*values)[1].value == 65'536);
  CHECK((*values)[2].value == -2);

  CHECK_FALSE(payloads.decode(2, good));  // another domain's
  CHECK_FALSE(payloads.decode(1, NsysPayloadBytes(701).add(std::uint64_t{1}).bytes()));
  CHECK_FALSE(payloads.decode(1, NsysPayloadBytes(700).add(std::uint64_t{1}).bytes()));  // shorter than its schema
  for (std::size_t length = 0; length < good.size(); ++length) CHECK_FALSE(payloads.decode(1, good.substr(0, length)));
  CHECK_FALSE(payloads.decode(1, good + "x"));
}

TEST_CASE("an export without payload tables has no schema") {
  const test::ScratchFolder folder;
  { NsysExport file(folder / "a.sqlite"); }
  NsysFile file(folder / "a.sqlite");
  CHECK(NsysPayloads(file).empty());
}

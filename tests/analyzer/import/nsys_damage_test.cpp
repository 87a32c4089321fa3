// SPDX-License-Identifier: Apache-2.0
// What is wrong with an export is said in one line that names the file, the place and the mend.
#include <filesystem>

#include "analyzer/import/importer.h"
#include "tests/analyzer/import/nsys_export.h"
#include "tests/support/process.h"

using namespace moescope;
using test::NsysExport;

namespace {

std::string error_of(const std::string& path, const std::string& format = "auto") {
  try {
    load_trace({path}, format, {});
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& message, const std::string& path, const std::string& part) {
  return message.starts_with(path + ": ") && message.find(part) != std::string::npos &&
         message.find("nsys export --type sqlite") != std::string::npos && message.find('\n') == std::string::npos;
}

void good(const std::string& path, int kernels) {
  NsysExport file(path);
  const auto id = file.string("kernel");
  file.kernel_table();
  file.sql("BEGIN");
  for (int i = 0; i < kernels; ++i) file.kernel(i * 10, i * 10 + 5, 5, 0, 7, i, id);
  file.sql("COMMIT");
}

}  // namespace

TEST_CASE("wrong types name table, row and column") {
  const test::ScratchFolder folder;
  const std::string path = folder / "types.sqlite";
  {
    NsysExport file(path);
    file.sql("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, demangledName)");
    file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,7,1), (3,'soon',0,7,1)");
  }
  const std::string message = error_of(path);
  INFO(message);
  CHECK(says(message, path, "table CUPTI_ACTIVITY_KIND_KERNEL, row 2: end is not a number"));
}

TEST_CASE("a column that can't be done without") {
  const test::ScratchFolder folder;
  const std::string path = folder / "columns.sqlite";
  {
    NsysExport file(path);
    file.sql("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, deviceId)");
  }
  const std::string message = error_of(path);
  INFO(message);
  CHECK(says(message, path, "table CUPTI_ACTIVITY_KIND_KERNEL: no column end"));
}

TEST_CASE("an export that was cut short is refused at every length, with or without gzip's help") {
  const test::ScratchFolder folder;
  good(folder / "whole.sqlite", 3'000);
  const std::string bytes = test::contents(folder / "whole.sqlite");
  REQUIRE(bytes.size() > 50'000);
  const std::string path = folder / "cut.sqlite";
  for (std::size_t length = 100; length < bytes.size(); length += 4'093) {
    test::write_file(path, bytes.substr(0, length));
    const std::string message = error_of(path);
    INFO(message);
    CHECK(says(message, path, "cut short: the database has " + std::to_string(bytes.size()) + " bytes"));
  }
  test::write_file(path, bytes.substr(0, 60));
  CHECK(error_of(path).starts_with(path + ": "));
}

TEST_CASE("damaged pages, an unfinished export, no events, no SQLite") {
  const test::ScratchFolder folder;
  good(folder / "whole.sqlite", 3'000);
  std::string bytes = test::contents(folder / "whole.sqlite");
  for (std::size_t at = 12'288; at < bytes.size(); ++at) bytes[at] = '\x5a';
  const std::string damaged = folder / "damaged.sqlite";
  test::write_file(damaged, bytes);
  INFO(error_of(damaged));
  CHECK(says(error_of(damaged), damaged, "damaged ("));

  const std::string unfinished = folder / "unfinished.sqlite";
  good(unfinished, 3);
  test::write_file(unfinished + "-journal", "not empty");
  CHECK(says(error_of(unfinished), unfinished, "never finished"));

  const std::string empty = folder / "empty.sqlite";
  { NsysExport file(empty); }
  CHECK(error_of(empty) == empty + ": no event in it; record it with nsys profile --trace=cuda,nvtx");

  test::write_file(folder / "text.sqlite", "not a database at all");
  CHECK(says(error_of(folder / "text.sqlite", "nsys"), folder / "text.sqlite", "not a SQLite file"));
}

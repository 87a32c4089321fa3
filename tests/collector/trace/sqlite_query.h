#pragma once
// SPDX-License-Identifier: Apache-2.0
// Run files read through the plain sqlite3 API, so that tests don't read with the code that wrote. Every value is text.

#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace moescope::test {

using Row = std::vector<std::string>;

inline std::vector<Row> query(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  INFO(path << ": " << sql);
  REQUIRE(sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK);
  sqlite3_busy_timeout(db, 10000);
  std::vector<Row> rows;
  char* message = nullptr;
  const int code = sqlite3_exec(
      db, sql.c_str(),
      [](void* out, int columns, char** values, char**) {
        Row row;
        for (int i = 0; i < columns; ++i) row.emplace_back(values[i] != nullptr ? values[i] : "NULL");
        static_cast<std::vector<Row>*>(out)->push_back(row);
        return 0;
      },
      &rows, &message);
  const std::string error = message != nullptr ? message : "";
  sqlite3_free(message);
  sqlite3_close(db);
  INFO(error);
  REQUIRE(code == SQLITE_OK);
  return rows;
}

// The one value of a query that gives one.
inline std::string value(const std::string& path, const std::string& sql) {
  const std::vector<Row> rows = query(path, sql);
  REQUIRE(rows.size() == 1);
  REQUIRE(rows[0].size() == 1);
  return rows[0][0];
}
inline long long number(const std::string& path, const std::string& sql) {
  return std::stoll(value(path, sql));
}

inline std::vector<std::string> files_in(const ScratchFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  return names;
}

}  // namespace moescope::test

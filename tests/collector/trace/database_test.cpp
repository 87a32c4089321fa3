// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/database.h"

#include <unistd.h>

#include "tests/collector/trace/sqlite_query.h"

using namespace moescope::trace;
using namespace moescope::test;

TEST_CASE("Values come back with their type") {
  ScratchFolder dir;
  Database database;
  REQUIRE(Database::open(dir / "a.db", Database::Mode::kCreateExclusive, &database));
  REQUIRE(database.execute("CREATE TABLE t(a, b, c, d)"));
  Statement insert;
  REQUIRE(database.prepare("INSERT INTO t VALUES(?,?,?,?)", &insert));
  const std::string text("with\0zero", 9);
  insert.bind(1, std::int64_t{-9007199254740993}).bind(2, 0.5).bind(3, std::string_view(text)).bind_null(4);
  CHECK_FALSE(insert.step());
  CHECK(insert.ok());
  insert.reset();
  insert.bind(3, std::string_view());
  insert.step();
  Statement select;
  REQUIRE(database.prepare("SELECT * FROM t ORDER BY rowid", &select));
  REQUIRE(select.step());
  CHECK(select.columns() == 4);
  CHECK(select.column_name(2) == "c");
  CHECK(select.integer(0) == -9007199254740993);
  CHECK(select.real(1) == 0.5);
  CHECK(select.text(2) == text);
  CHECK(select.is_null(3));
  REQUIRE(select.step());
  CHECK_FALSE(select.is_null(2));  // an empty text is no NULL
  CHECK_FALSE(select.step());
  CHECK(select.ok());
}

TEST_CASE("Errors are values that say what is wrong") {
  ScratchFolder dir;
  Database database;
  const Status missing = Database::open(dir / "none.db", Database::Mode::kReadOnly, &database);
  CHECK_FALSE(missing);
  CHECK(missing.error.find("none.db") != std::string::npos);
  REQUIRE(Database::open(dir / "a.db", Database::Mode::kCreateExclusive, &database));
  Database second;
  CHECK_FALSE(Database::open(dir / "a.db", Database::Mode::kCreateExclusive, &second));
  CHECK(Database::open(dir / "a.db", Database::Mode::kReadWrite, &second));
  CHECK(database.execute("SELECT nonsense").error.find("nonsense") != std::string::npos);
  Statement statement;
  CHECK_FALSE(database.prepare("SELEC 1", &statement));
  REQUIRE(database.execute("CREATE TABLE t(a UNIQUE)"));
  REQUIRE(database.prepare("INSERT INTO t VALUES(1)", &statement));
  statement.step();
  CHECK(statement.ok());
  statement.reset();
  statement.step();
  CHECK_FALSE(statement.ok());
}

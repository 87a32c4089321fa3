#pragma once
// SPDX-License-Identifier: Apache-2.0
// A thin RAII layer over the sqlite3 C API, for the few files that see SQL. Errors are values (Status), because half of
// the users run inside somebody's job.

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace moescope::trace {

struct Status {
  std::string error;  // empty: fine
  explicit operator bool() const { return error.empty(); }
};

class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();
  Statement& bind(int index, std::int64_t value);  // index from 1
  Statement& bind(int index, double value);
  Statement& bind(int index, std::string_view text);  // copied
  Statement& bind_null(int index);
  bool step();  // true: a row is there; false: done or failed, see ok()
  bool ok() const { return ok_; }
  void reset();                            // ready to run again; bindings stay
  std::int64_t integer(int column) const;  // column from 0
  double real(int column) const;
  bool is_null(int column) const;
  std::string text(int column) const;
  enum class Kind { kInteger = 1, kReal, kText, kBlob, kNull };  // of a value, as SQLite numbers them
  Kind kind(int column) const;
  // The value's kind, and the value where it is an integer: one call for readers of many rows.
  Kind integer(int column, std::int64_t* out) const;
  std::string_view bytes(int column) const;  // of a text or blob, until the next step
  int columns() const;
  std::string column_name(int column) const;

 private:
  friend class Database;
  sqlite3_stmt* statement_ = nullptr;
  bool ok_ = true;
};

class Database {
 public:
  // kImmutable: read-only of a file that nobody writes: takes no lock, looks at no -wal, leaves nothing beside the
  // file.
  enum class Mode { kReadOnly, kImmutable, kReadWrite, kCreateExclusive };
  Database() = default;
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();
  static Status open(const std::string& path, Mode mode, Database* out);
  Status execute(const char* sql);
  Status prepare(const char* sql, Statement* out);
  std::string error() const;
  sqlite3* handle() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace moescope::trace

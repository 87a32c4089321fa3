#pragma once
// SPDX-License-Identifier: Apache-2.0
// An Nsight Systems SQLite export, open for reading: which tables and columns it has (they vary with version and with
// what was collected), and rows of them with their types checked.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/trace_error.h"
#include "collector/trace/database.h"

namespace moescope {

class NsysFile {
 public:
  // Inflates gzip to a file that is gone when this is. Throws TraceError: no SQLite, cut short, or an export that was
  // never finished.
  explicit NsysFile(const std::string& path);
  static bool is_gzip(const std::string& path);

  const std::string& path() const { return path_; }
  trace::Database& database() { return database_; }
  bool has(const std::string& table) const { return columns_.count(table) > 0; }
  bool has(const std::string& table, const std::string& column) const;
  std::vector<std::string> tables() const;
  // At most so many rows are in it: the exporter only appends. Costs a look-up, not a scan.
  std::int64_t rows(const std::string& table);
  // StringIds is keyed by its id, as every exporter wrote it so far.
  bool strings_are_keyed() const { return strings_are_keyed_; }
  std::uint64_t bytes() const { return bytes_; }
  // Throws TraceError: SQLite's own words for what is wrong, in one line.
  [[noreturn]] void damaged(const std::string& place) const;

 private:
  void read_schema();
  std::string path_;
  trace::Database database_;
  std::map<std::string, std::set<std::string>> columns_;
  bool strings_are_keyed_ = false;
  std::uint64_t bytes_ = 0;
};

struct NsysColumn {
  const char* name;
  bool needed = false;  // the file is refused where the table lacks it; else it reads as NULL
};
constexpr NsysColumn needed(const char* name) {
  return {name, true};
}

// A table's rows in file order. Every TraceError names table, row (from 1) and column.
class NsysRows {
 public:
  NsysRows(NsysFile& file, std::string table, std::initializer_list<NsysColumn> columns, const std::string& tail = {});
  bool next();
  std::int64_t row() const { return row_; }
  const std::string& table() const { return table_; }

  std::int64_t integer_or(int column, std::int64_t fallback) const {
    std::int64_t value = fallback;
    const auto kind = statement_.integer(column, &value);
    if (kind != trace::Statement::Kind::kInteger && kind != trace::Statement::Kind::kNull) refuse(column);
    return value;
  }
  std::optional<std::int64_t> integer(int column) const {
    std::int64_t value = 0;
    const auto kind = statement_.integer(column, &value);
    if (kind == trace::Statement::Kind::kInteger) return value;
    if (kind != trace::Statement::Kind::kNull) refuse(column);
    return std::nullopt;
  }
  double real_or(int column, double fallback) const;
  std::string_view text(int column) const { return statement_.bytes(column); }  // empty for NULL; until next()

 private:
  [[noreturn]] void refuse(int column) const;
  NsysFile& file_;
  std::string table_;
  std::vector<NsysColumn> columns_;
  trace::Statement statement_;
  std::int64_t row_ = 0;
};

}  // namespace moescope

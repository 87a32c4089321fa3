// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nsys_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyzer/import/byte_source.h"
#include "analyzer/store/trace_reader.h"

namespace moescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExportAgain = "export it again: nsys export --type sqlite";

// A file in the temporary folder; removed with the object, which SQLite's open descriptor outlives.
class Inflated {
 public:
  explicit Inflated(const std::string& path) {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "moescope-nsys-XXXXXX").string();
    const int file = ::mkstemp(name.data());
    if (file < 0)
      throw TraceError(path, "", "no room in the temporary folder to inflate it", "set TMPDIR, or gunzip it yourself");
    path_ = name;
    const auto source = open_bytes(path);
    std::vector<char> part(1 << 20);
    bool fine = true;
    try {
      while (const std::size_t got = source->read(part.data(), part.size()))
        for (std::size_t at = 0; fine && at < got;) {
          const ssize_t wrote = ::write(file, part.data() + at, got - at);
          fine = wrote > 0;
          if (fine) at += static_cast<std::size_t>(wrote);
        }
    } catch (...) {
      ::close(file);
      ::unlink(path_.c_str());
      throw;
    }
    ::close(file);
    if (fine) return;
    ::unlink(path_.c_str());
    throw TraceError(path, "", "no room in the temporary folder to inflate it", "set TMPDIR, or gunzip it yourself");
  }
  ~Inflated() { ::unlink(path_.c_str()); }
  Inflated(const Inflated&) = delete;
  Inflated& operator=(const Inflated&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::uint32_t big_endian(const unsigned char* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

// SQLite reads the first pages of a file that was cut off without a word; its header knows how many there were.
void check_length(const std::string& path, const std::string& readable) {
  std::ifstream file(readable, std::ios::binary);
  unsigned char head[100] = {};
  file.read(reinterpret_cast<char*>(head), sizeof head);
  std::error_code error;
  const std::uint64_t size = fs::file_size(readable, error);
  const std::uint32_t said = std::uint32_t{head[16]} << 8 | head[17];
  const std::uint64_t page = said == 1 ? 65536 : said, pages = big_endian(head + 28);
  const bool known = big_endian(head + 24) == big_endian(head + 92);
  if (file.gcount() < static_cast<std::streamsize>(sizeof head) || (known && page * pages > size))
    throw TraceError(path, "byte " + std::to_string(size),
                     "cut short: the database has " + std::to_string(page * pages) + " bytes",
                     std::string("copy it again, or ") + kExportAgain);
}

std::string sql_name(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

bool NsysFile::is_gzip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char head[2] = {};
  file.read(head, sizeof head);
  return file.gcount() == sizeof head && head[0] == '\x1f' && head[1] == '\x8b';
}

NsysFile::NsysFile(const std::string& path) : path_(path) {
  std::optional<Inflated> inflated;
  if (is_gzip(path)) inflated.emplace(path);
  const std::string readable = inflated ? inflated->path() : path;
  std::error_code error;
  if (!is_sqlite_file(readable))
    throw TraceError(path, "", "not a SQLite file", "export the report: nsys export --type sqlite");
  if (!inflated && fs::exists(path + "-journal", error) && fs::file_size(path + "-journal", error) > 0)
    throw TraceError(path, "", "its export was never finished (a -journal lies beside it)", kExportAgain);
  check_length(path, readable);
  bytes_ = fs::file_size(readable, error);
  if (const auto status = trace::Database::open(readable, trace::Database::Mode::kImmutable, &database_); !status)
    throw TraceError(path, "", status.error, "check that you may read it");
  read_schema();
}

void NsysFile::damaged(const std::string& place) const {
  std::string words = database_.error();  // may quote names of the file
  for (char& c : words)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  throw TraceError(path_, place, "damaged (" + words + ")", kExportAgain);
}

void NsysFile::read_schema() {
  trace::Statement tables;
  if (!database_.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')", &tables))
    damaged("its schema");
  while (tables.step()) columns_[tables.text(0)];
  if (!tables.ok()) damaged("its schema");
  for (auto& [table, names] : columns_) {
    trace::Statement columns;
    if (!database_.prepare("SELECT name, pk FROM pragma_table_info(?)", &columns)) damaged("its schema");
    columns.bind(1, std::string_view(table));
    while (columns.step()) {
      names.insert(columns.text(0));
      if (table == "StringIds" && columns.text(0) == "id") strings_are_keyed_ = columns.integer(1) > 0;
    }
    if (!columns.ok()) damaged("its schema");
  }
}

bool NsysFile::has(const std::string& table, const std::string& column) const {
  const auto found = columns_.find(table);
  return found != columns_.end() && found->second.count(column) > 0;
}

std::vector<std::string> NsysFile::tables() const {
  std::vector<std::string> names;
  for (const auto& [table, columns] : columns_) names.push_back(table);
  return names;
}

std::int64_t NsysFile::rows(const std::string& table) {
  if (!has(table)) return 0;
  trace::Statement statement;
  if (!database_.prepare(("SELECT max(rowid) FROM " + sql_name(table)).c_str(), &statement)) return 0;  // a view
  const auto most = static_cast<std::int64_t>(bytes_);  // a damaged file may say anything
  return statement.step() ? std::clamp<std::int64_t>(statement.integer(0), 0, most) : 0;
}

NsysRows::NsysRows(NsysFile& file, std::string table, std::initializer_list<NsysColumn> columns,
                   const std::string& tail)
    : file_(file), table_(std::move(table)), columns_(columns) {
  std::string sql = "SELECT ";
  for (const NsysColumn& column : columns_) {
    const bool there = file.has(table_, column.name);
    if (!there && column.needed)
      throw TraceError(file.path(), "table " + table_, std::string("no column ") + column.name, kExportAgain);
    if (sql.size() > 7) sql += ", ";
    sql += there ? sql_name(column.name) : "NULL";
  }
  sql += " FROM " + sql_name(table_) + " " + tail;
  if (!file.database().prepare(sql.c_str(), &statement_)) file.damaged("table " + table_);
}

bool NsysRows::next() {
  ++row_;
  if (statement_.step()) return true;
  if (!statement_.ok()) file_.damaged("table " + table_ + ", row " + std::to_string(row_));
  return false;
}

double NsysRows::real_or(int column, double fallback) const {
  switch (statement_.kind(column)) {
    case trace::Statement::Kind::kInteger:
    case trace::Statement::Kind::kReal:
      return statement_.real(column);
    case trace::Statement::Kind::kNull:
      return fallback;
    default:
      refuse(column);
  }
}

void NsysRows::refuse(int column) const {
  throw TraceError(file_.path(), "table " + table_ + ", row " + std::to_string(row_),
                   std::string(columns_[static_cast<std::size_t>(column)].name) + " is not a number", kExportAgain);
}

}  // namespace moescope

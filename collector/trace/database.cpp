// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace moescope::trace {
namespace {

std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool special = c == '%' || c == '?' || c == '#';
    uri += special ? std::string(c == '%' ? "%25" : c == '?' ? "%3f" : "%23") : std::string(1, c);
  }
  return uri + "?immutable=1";
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)), ok_(std::exchange(other.ok_, true)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(ok_, other.ok_);
  return *this;
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement& Statement::bind(int index, std::int64_t value) {
  ok_ &= sqlite3_bind_int64(statement_, index, value) == SQLITE_OK;
  return *this;
}

Statement& Statement::bind(int index, double value) {
  ok_ &= sqlite3_bind_double(statement_, index, value) == SQLITE_OK;
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  // A view of no bytes may have no address, which SQLite would store as NULL.
  const char* data = text.empty() ? "" : text.data();
  ok_ &= sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) == SQLITE_OK;
  return *this;
}

Statement& Statement::bind_null(int index) {
  ok_ &= sqlite3_bind_null(statement_, index) == SQLITE_OK;
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  ok_ &= code == SQLITE_ROW || code == SQLITE_DONE;
  return code == SQLITE_ROW;
}

void Statement::reset() {
  sqlite3_reset(statement_);
  ok_ = true;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Statement::real(int column) const {
  return sqlite3_column_double(statement_, column);
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
Statement::Kind Statement::kind(int column) const {
  return static_cast<Kind>(sqlite3_column_type(statement_, column));
}
Statement::Kind Statement::integer(int column, std::int64_t* out) const {
  sqlite3_value* const value = sqlite3_column_value(statement_, column);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) *out = sqlite3_value_int64(value);
  return static_cast<Kind>(type);
}
std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}
int Statement::columns() const {
  return sqlite3_column_count(statement_);
}

std::string Statement::text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(statement_, column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string Statement::column_name(int column) const {
  const char* name = sqlite3_column_name(statement_, column);
  return name == nullptr ? "" : name;
}

Database::Database(Database&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(db_, other.db_);
  return *this;
}

Database::~Database() {
  sqlite3_close_v2(db_);
}

Status Database::open(const std::string& path, Mode mode, Database* out) {
  if (mode == Mode::kCreateExclusive) {
    // SQLite has no O_EXCL for its callers: the empty file we leave here is a valid empty database.
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
    if (file < 0) return {path + ": " + std::strerror(errno)};
    ::close(file);
  }
  Database opened;
  const bool immutable = mode == Mode::kImmutable;
  int flags = immutable || mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  // Whoever reads a finished file does so from one thread a connection; a lock a value costs as much as the value.
  if (immutable) flags |= SQLITE_OPEN_NOMUTEX;
  const std::string name = immutable ? immutable_uri(path) : path;
  const int code = sqlite3_open_v2(name.c_str(), &opened.db_, flags | (immutable ? SQLITE_OPEN_URI : 0), nullptr);
  if (code != SQLITE_OK) return {path + ": " + (opened.db_ != nullptr ? opened.error() : sqlite3_errstr(code))};
  sqlite3_busy_timeout(opened.db_, 1000);
  *out = std::move(opened);
  return {};
}

Status Database::execute(const char* sql) {
  char* message = nullptr;
  if (sqlite3_exec(db_, sql, nullptr, nullptr, &message) == SQLITE_OK) return {};
  Status status{message != nullptr ? message : error()};
  sqlite3_free(message);
  return status;
}

Status Database::prepare(const char* sql, Statement* out) {
  Statement statement;
  if (sqlite3_prepare_v2(db_, sql, -1, &statement.statement_, nullptr) != SQLITE_OK) return {error()};
  *out = std::move(statement);
  return {};
}

std::string Database::error() const {
  return sqlite3_errmsg(db_);
}

}  // namespace moescope::trace

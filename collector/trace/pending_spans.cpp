// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/pending_spans.h"

#include <sqlite3.h>

#include <new>

namespace moescope::trace {
namespace {

using Rows = const std::vector<SpanRow>*;

struct Table : sqlite3_vtab {
  Rows rows;
};
struct Cursor : sqlite3_vtab_cursor {
  Rows rows;
  std::size_t at;
};

int connect(sqlite3* db, void* rows, int, const char* const*, sqlite3_vtab** out, char**) {
  const int code = sqlite3_declare_vtab(
      db, "CREATE TABLE pending_span(start_rel, dur, track, name, context, correlation, bytes, flops)");
  if (code != SQLITE_OK) return code;
  auto* table = new (std::nothrow) Table{};
  if (table == nullptr) return SQLITE_NOMEM;
  table->rows = static_cast<Rows>(rows);
  *out = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  info->estimatedRows = static_cast<sqlite3_int64>(static_cast<Table*>(table)->rows->size());
  info->estimatedCost = static_cast<double>(info->estimatedRows);
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) Cursor{};
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->rows = static_cast<Table*>(table)->rows;
  *out = cursor;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  static_cast<Cursor*>(cursor)->at = 0;
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* base) {
  const auto* cursor = static_cast<Cursor*>(base);
  return cursor->at >= cursor->rows->size();
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* out, int index) {
  const auto* cursor = static_cast<Cursor*>(base);
  const SpanRow& row = (*cursor->rows)[cursor->at];
  switch (index) {
    case 0:
      sqlite3_result_int64(out, row.start_rel);
      break;
    case 1:
      sqlite3_result_int64(out, row.dur);
      break;
    case 2:
      sqlite3_result_int(out, row.track);
      break;
    case 3:
      sqlite3_result_int(out, row.name);
      break;
    case 4:
      sqlite3_result_int(out, row.context);
      break;
    case 5:
      sqlite3_result_int64(out, row.correlation);
      break;
    case 6:
      sqlite3_result_int64(out, row.bytes);
      break;
    default:
      if (row.flops >= 0) sqlite3_result_double(out, row.flops);  // otherwise NULL
  }
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(static_cast<Cursor*>(cursor)->at);
  return SQLITE_OK;
}

// No xCreate: an eponymous table, there without a CREATE VIRTUAL TABLE and never part of the file.
const sqlite3_module* module() {
  static const sqlite3_module pending = [] {
    sqlite3_module m{};
    m.xConnect = connect;
    m.xBestIndex = best_index;
    m.xDisconnect = disconnect;
    m.xOpen = open_cursor;
    m.xClose = close_cursor;
    m.xFilter = filter;
    m.xNext = next;
    m.xEof = eof;
    m.xColumn = column;
    m.xRowid = rowid;
    return m;
  }();
  return &pending;
}

}  // namespace

Status register_pending_spans(Database& database, const std::vector<SpanRow>* rows) {
  void* argument = const_cast<std::vector<SpanRow>*>(rows);  // SQLite hands it back to connect(), which reads only
  if (sqlite3_create_module(database.handle(), "pending_span", module(), argument) == SQLITE_OK) return {};
  return {database.error()};
}

}  // namespace moescope::trace

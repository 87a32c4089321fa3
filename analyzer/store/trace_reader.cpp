// SPDX-License-Identifier: Apache-2.0
#include "analyzer/store/trace_reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "analyzer/store/run_file_snapshot.h"
#include "analyzer/store/run_file_tables.h"
#include "collector/trace/schema.h"

namespace moescope {
namespace {

namespace fs = std::filesystem;

std::int64_t pragma(trace::Database& database, const std::string& path, const char* sql) {
  trace::Statement statement;
  if (const auto status = database.prepare(sql, &statement); !status || !statement.step())
    throw TraceError(path, "", "damaged (" + database.error() + ")", "copy the file again");
  return statement.integer(0);
}

// A file of which only the beginning was ever written, or came over: nothing of the run is in it.
void add_empty(const std::string& path, const std::string& reason, TraceBuilder& builder) {
  SourceFile file;
  file.path = path;
  file.format = "moescope";
  file.cut_short = true;
  file.cut_short_reason = reason;
  builder.trace().files.push_back(std::move(file));
}

bool is_empty_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) == 0;
}

}  // namespace

bool is_run_file_name(const std::string& name) {
  return name.ends_with(trace::kRunFileSuffix) && name != std::string("derived") + trace::kRunFileSuffix;
}

std::vector<std::string> run_files(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw TraceError(path, "", "no such file or directory", "check the path");
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path, error))
    if (is_run_file_name(entry.path().filename().string())) files.push_back(entry.path().string());
  if (error) throw TraceError(path, "", error.message(), "check that you may read it");
  if (files.empty())
    throw TraceError(path, "", "a directory without run files (*.moe.db)", "record one: moescope record -o DIR -- CMD");
  std::sort(files.begin(), files.end());
  return files;
}

bool is_sqlite_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char head[16] = {};
  file.read(head, sizeof head);
  return file.gcount() == sizeof head &&
         std::string_view(head, sizeof head) == std::string_view("SQLite format 3\0", 16);
}

void read_run_file(const std::string& path, TraceBuilder& builder) {
  std::error_code error;
  if (!fs::exists(path, error)) throw TraceError(path, "", "no such file or directory", "check the path");
  const bool by_name = is_run_file_name(fs::path(path).filename().string());
  const RunFileSnapshot snapshot(path);
  if (by_name && !snapshot.is_copy() && is_empty_file(path)) {
    add_empty(path, "the file is empty: killed before its first flush, or its -wal did not come with it", builder);
    return;
  }
  if (!snapshot.is_copy() && !is_sqlite_file(path))
    throw TraceError(path, "", "not a SQLite file", "name a *.moe.db file");

  trace::Database database;
  const auto mode = snapshot.is_copy() ? trace::Database::Mode::kReadWrite : trace::Database::Mode::kImmutable;
  if (const auto status = trace::Database::open(snapshot.readable_path(), mode, &database); !status)
    throw TraceError(path, "", status.error, "check that you may read it");

  const std::int64_t tables = pragma(database, path, "SELECT count(*) FROM sqlite_schema");
  if (by_name && tables == 0) {
    add_empty(path, "nothing is in it: killed before its first flush, or its -wal did not come with it", builder);
    return;
  }
  if (pragma(database, path, "PRAGMA application_id") != trace::kApplicationId)
    throw TraceError(path, "", "a SQLite file, but not a moescope run file", "name a *.moe.db file");
  const std::int64_t version = pragma(database, path, "PRAGMA user_version");
  if (version > trace::kSchemaVersion)
    throw TraceError(path, "",
                     "written by a newer moescope (schema " + std::to_string(version) + "; this one reads " +
                         std::to_string(trace::kSchemaVersion) + ")",
                     "update moescope");
  if (version < 1)
    throw TraceError(path, "", "damaged (schema version " + std::to_string(version) + ")", "copy the file again");
  RunFileTables(path, database, builder).read();
}

}  // namespace moescope

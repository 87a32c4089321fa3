// SPDX-License-Identifier: Apache-2.0
// libFuzzer: an Nsight Systems export, as the bytes of a SQLite file or else as the SQL script that makes one. It is
// read or refused in one line, and what is read holds together.
#include <sqlite3.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyzer/import/importer.h"

using namespace moescope;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

// Sanitizers' fork-free loop leaves one file behind at most.
const std::string& scratch_path() {
  static const std::string kPath =
      (std::filesystem::temp_directory_path() / ("fuzzer_nsys_" + std::to_string(getpid()))).string();
  static const int kRemoved = std::atexit([] { ::unlink(kPath.c_str()); });
  check(kRemoved == 0);
  return kPath;
}

int refuse_other_files(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_ATTACH || action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

// As far as the script goes; it may neither run long nor touch other files.
void make(const std::string& path, const std::string& script) {
  ::unlink(path.c_str());
  sqlite3* database = nullptr;
  check(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  sqlite3_exec(database, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA max_page_count = 500", nullptr,
               nullptr, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 100'000);
  sqlite3_set_authorizer(database, refuse_other_files, nullptr);
  sqlite3_progress_handler(
      database, 200'000, [](void*) { return 1; }, nullptr);
  sqlite3_exec(database, script.c_str(), nullptr, nullptr, nullptr);
  sqlite3_close(database);
}

void check_whole(const Trace& trace) {
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    check(trace.spans.duration[row] >= 0);
    check(trace.track_of(row).rank.valid() && trace.track_of(row).clock.valid());
    check(static_cast<std::size_t>(trace.spans.name[row]) < trace.names.size());
    check(static_cast<std::size_t>(trace.spans.context[row]) < trace.contexts.size());
  }
  for (const Collective& one : trace.collectives) {
    check(one.span >= 0 && one.span < static_cast<std::int64_t>(trace.spans.size()));
    check(one.comm_group < static_cast<std::int32_t>(trace.comm_groups.size()));
    check(one.in_splits.empty() || static_cast<std::int32_t>(one.in_splits.size()) == one.group_size);
    check(one.bytes_in >= -1 && one.bytes_out >= -1);
  }
  for (const DeviceSample& one : trace.device_samples) check(one.device.rank.valid() && one.quantity.valid());
  for (const LinkSample& one : trace.link_samples) check(one.tx_bytes >= 0 && one.rx_bytes >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string& path = scratch_path();
  if (text.starts_with("SQLite format 3"))
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  else
    make(path, text);
  try {
    check_whole(load_trace({path}, "nsys", {}));
  } catch (const TraceError& error) {
    const std::string message = error.what();
    check(message.starts_with(path) && message.find('\n') == std::string::npos);
  }
  return 0;
}

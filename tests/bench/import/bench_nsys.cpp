// SPDX-License-Identifier: Apache-2.0
// How fast Nsight Systems exports are read on one core, beside a bare SELECT of the same columns of the same rows in
// the same run: every value fetched and added up, nothing made of it.
//   bench_nsys [KERNELS | FILE]...      default: a made-up export of 1,000,000 kernels with a call and a range each
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <random>
#include <vector>

#include "analyzer/import/importer.h"
#include "analyzer/import/nsys_file.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void must(const trace::Status& status) {
  if (status) return;
  fmt::print(stderr, "{}\n", status.error);
  std::exit(1);
}

// Kernels as PyTorch launches them: 400 names, four streams that take turns, the exporter's columns and their order.
void write_export(const std::string& path, int kernels) {
  trace::Database database;
  must(trace::Database::open(path, trace::Database::Mode::kCreateExclusive, &database));
  must(database.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
      "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId "
      "INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT "
      "NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName "
      "INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, "
      "registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ "
      "INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
      "staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "
      "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, "
      "returnValue INTEGER NOT NULL, callchainId INTEGER);"
      "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
      "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid "
      "INTEGER, textId INTEGER, domainId INTEGER, jsonText TEXT, binaryData TEXT);"));
  std::mt19937 random(1);
  trace::Statement insert;
  must(database.prepare("INSERT INTO StringIds VALUES (?, ?)", &insert));
  constexpr int kNames = 400;
  for (int i = 0; i < kNames; ++i) {
    insert.reset();
    insert.bind(1, std::int64_t{i})
        .bind(2, std::string_view(fmt::format("void kernel_{}<{}>(int*)", i, std::string(random() % 300, 'T'))));
    insert.step();
  }
  trace::Statement kernel, call, range;
  must(
      database.prepare("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                       "(?,?,?,1,NULL,?,?,?,?,?,?,1,0,32,198,1,1,256,1,1,0,49152,NULL)",
                       &kernel));
  must(database.prepare("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0,NULL)", &call));
  must(database.prepare("INSERT INTO NVTX_EVENTS VALUES (?,?,59,NULL,NULL,NULL,NULL,?,NULL,?,0,NULL,NULL)", &range));
  const std::int64_t process = (std::int64_t{1} << 48) + (std::int64_t{4'000'000} << 24);
  for (int i = 0; i < kernels; ++i) {
    const std::int64_t at = 20'000'000'000 + std::int64_t{i} * 9'000,
                       name = static_cast<std::int64_t>(random() % kNames);
    kernel.reset();
    kernel.bind(1, at + 40'000)
        .bind(2, at + 40'000 + static_cast<std::int64_t>(random() % 30'000))
        .bind(3, std::int64_t{0});
    kernel.bind(4, std::int64_t{7} + i % 4)
        .bind(5, std::int64_t{i} + 1)
        .bind(6, process)
        .bind(7, name)
        .bind(8, name)
        .bind(9, name);
    kernel.step();
    call.reset();
    call.bind(1, at).bind(2, at + 3'000).bind(3, process + 4'000'000).bind(4, std::int64_t{i} + 1).bind(5, name);
    call.step();
    range.reset();
    range.bind(1, at - 2'000).bind(2, at + 5'000).bind(3, process + 4'000'000).bind(4, name);
    range.step();
  }
  must(database.execute("COMMIT"));
}

// As the importer asks for them.
struct Table {
  const char* name;
  std::vector<const char*> columns;
};
const Table kTables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "demangledName"}},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "copyKind", "srcDeviceId",
      "dstDeviceId"}},
    {"CUPTI_ACTIVITY_KIND_MEMSET", {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes"}},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId", "nameId"}},
    {"NVTX_EVENTS", {"start", "end", "eventType", "text", "textId", "globalTid", "domainId", "binaryData"}},
};

std::int64_t select_all(const std::string& path, std::int64_t& sum) {
  NsysFile file(path);
  std::int64_t rows = 0;
  for (const Table& table : kTables) {
    if (!file.has(table.name)) continue;
    std::string sql = "SELECT ";
    std::vector<int> texts, numbers;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string_view column = table.columns[i];
      (column == "text" || column == "binaryData" ? texts : numbers).push_back(static_cast<int>(i));
      sql += (i ? ", \"" : "\"") + std::string(column) + "\"";
    }
    trace::Statement statement;
    must(file.database().prepare((sql + " FROM " + table.name).c_str(), &statement));
    for (; statement.step(); ++rows) {
      for (const int column : numbers) sum += statement.integer(column);
      for (const int column : texts) sum += static_cast<std::int64_t>(statement.bytes(column).size());
    }
  }
  return rows;
}

void measure(const std::string& path) {
  std::vector<double> bare, read, whole;
  std::int64_t rows = 0, sum = 0;
  std::size_t spans = 0;
  const Importer* importer = nullptr;
  for (const Importer& one : importers())
    if (one.name == "nsys") importer = &one;
  for (int i = 0; i < 7; ++i) {  // taking turns, so that the machine's other work falls on both
    double start = now();
    rows = select_all(path, sum);
    bare.push_back(now() - start);
    start = now();
    TraceBuilder builder;
    importer->read(path, {}, builder);
    read.push_back(now() - start);
    const Trace trace = builder.finish();
    whole.push_back(now() - start);
    spans = trace.spans.size();
  }
  std::error_code error;
  const auto per_row = [rows](double seconds) { return seconds * 1e9 / static_cast<double>(rows); };
  fmt::print("{}: {:.0f} MB, {} rows, {} spans\n", std::filesystem::path(path).filename().string(),
             static_cast<double>(std::filesystem::file_size(path, error)) / 1e6, rows, spans);
  fmt::print("  bare SELECT of the same columns    {:7.0f} ns a row\n", per_row(median(bare)));
  fmt::print("  import                             {:7.0f} ns a row, {:.2f} of the SELECT\n", per_row(median(read)),
             median(read) / median(bare));
  fmt::print("  import and the trace put in order  {:7.0f} ns a row, {:.2f} of the SELECT  (sum {})\n",
             per_row(median(whole)), median(whole) / median(bare), sum & 0xff);
}

}  // namespace

int main(int argc, char** argv) {
  const test::ScratchFolder folder;
  std::vector<std::string> named(argv + 1, argv + argc);
  if (named.empty()) named.emplace_back("1000000");
  for (const std::string& one : named) {
    if (std::filesystem::exists(one)) {
      measure(one);
      continue;
    }
    const std::string path = folder / ("made_up_" + one + ".sqlite");
    write_export(path, std::atoi(one.c_str()));
    measure(path);
  }
}

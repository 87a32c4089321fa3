// SPDX-License-Identifier: Apache-2.0
// How fast spans go into a run file, in million rows a CPU second, median of the rounds: bench_collector_insert
// [ROUNDS]. The prepared and multi-row INSERTs are what the writer's virtual table is chosen over; all with its
// settings (WAL, synchronous NORMAL, 16 KiB pages, 100,000 rows a transaction).
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "collector/trace/trace_writer.h"

using namespace moescope::trace;

namespace {

constexpr int kRows = 500000, kTransaction = 100000;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

SpanRow row(int i) {
  SpanRow span;
  span.start_rel = std::int64_t{i} * 5000;
  span.dur = 3000 + i % 1000;
  span.track = i % 8;
  span.name = i % 50;
  span.context = i % 200;
  return span;
}

std::string fresh(const char* name) {
  const std::string path = std::string("/tmp/moescope-bench-") + name + std::to_string(getpid()) + ".db";
  for (const char* suffix : {"", "-wal", "-shm"}) unlink((path + suffix).c_str());
  return path;
}

double by_writer() {
  const std::string path = fresh("writer");
  std::string error;
  auto writer = TraceWriter::create(path, {}, {}, {}, &error);
  const double start = cpu_seconds();
  for (int i = 0; i < kRows; ++i) {
    writer->span(row(i));
    if (i % kTransaction == kTransaction - 1) writer->flush();
  }
  const double seconds = cpu_seconds() - start;
  writer.reset();
  fresh("writer");
  return kRows / seconds / 1e6;
}

// rows_each values lists in one INSERT; 1: a plain prepared statement.
double by_statement(int rows_each) {
  const std::string path = fresh("statement");
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  sqlite3_exec(db,
               "PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
               "CREATE TABLE span(start_rel INTEGER NOT NULL, dur INTEGER NOT NULL, track INTEGER NOT NULL,"
               "name INTEGER NOT NULL, context INTEGER NOT NULL, correlation INTEGER NOT NULL)",
               nullptr, nullptr, nullptr);
  std::string sql = "INSERT INTO span VALUES(?,?,?,?,?,?)";
  for (int i = 1; i < rows_each; ++i) sql += ",(?,?,?,?,?,?)";
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(db, sql.c_str(), -1, &insert, nullptr);
  const double start = cpu_seconds();
  for (int i = 0; i < kRows;) {
    if (i % kTransaction == 0) sqlite3_exec(db, "BEGIN", nullptr, nullptr, nullptr);
    int column = 0;
    for (int r = 0; r < rows_each; ++r, ++i) {
      const SpanRow span = row(i);
      sqlite3_bind_int64(insert, ++column, span.start_rel);
      sqlite3_bind_int64(insert, ++column, span.dur);
      sqlite3_bind_int(insert, ++column, span.track);
      sqlite3_bind_int(insert, ++column, span.name);
      sqlite3_bind_int(insert, ++column, span.context);
      sqlite3_bind_int64(insert, ++column, span.correlation);
    }
    sqlite3_step(insert);
    sqlite3_reset(insert);
    if (i % kTransaction == 0) sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
  }
  const double seconds = cpu_seconds() - start;
  sqlite3_finalize(insert);
  sqlite3_close(db);
  fresh("statement");
  return kRows / seconds / 1e6;
}

template <class Measure>
void show(const char* name, int rounds, Measure measure) {
  std::vector<double> rates;
  for (int i = 0; i < rounds; ++i) rates.push_back(measure());
  std::sort(rates.begin(), rates.end());
  std::printf("%-28s %5.2f median %5.2f best\n", name, rates[rates.size() / 2], rates.back());
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  show("prepared INSERT", rounds, [] { return by_statement(1); });
  show("multi-row INSERT, 5", rounds, [] { return by_statement(5); });
  show("multi-row INSERT, 20", rounds, [] { return by_statement(20); });
  show("multi-row INSERT, 100", rounds, [] { return by_statement(100); });
  show("TraceWriter (virtual table)", rounds, by_writer);
}

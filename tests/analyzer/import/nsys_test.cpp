// SPDX-License-Identifier: Apache-2.0
// Exports made here, with values known by construction: what is read of them, whatever the version of their schema.
#include <zlib.h>

#include <algorithm>

#include "analyzer/import/importer.h"
#include "analyzer/model/launch_index.h"
#include "tests/analyzer/import/nsys_export.h"
#include "tests/support/process.h"

using namespace moescope;
using test::global_id;
using test::NsysExport;

namespace {

struct Row {
  std::string name;
  std::int32_t rank, device;
  Ns start, duration;
  std::int64_t bytes;
  SpanKind kind;
  friend bool operator==(const Row&, const Row&) = default;
};

std::vector<Row> rows_of(const Trace& trace) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < trace.spans.size(); ++i)
    rows.push_back({std::string(trace.name_of(i)), trace.track_of(i).rank.value, trace.track_of(i).device,
                    trace.spans.start[i], trace.spans.duration[i], trace.spans.bytes[i], trace.context_of(i).kind});
  return rows;
}

bool has(const Trace& trace, const Row& row) {
  const auto rows = rows_of(trace);
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

std::int64_t said(const Trace& trace, const std::string& code) {
  std::int64_t count = 0;
  for (const Diagnostic& one : trace.diagnostics)
    if (one.code == code) count += one.count;
  return count;
}

}  // namespace

TEST_CASE("kernels, copies, memsets, calls and ranges of two processes, on the wall clock") {
  const test::ScratchFolder folder;
  const std::string path = folder / "two.sqlite";
  constexpr std::int64_t kSession = 1'700'000'000'000'000'000;
  {
    NsysExport file(path);
    file.session(kSession, "node7");
    const auto gemm = file.string("void gemm<(int)128>(float*)"), act = file.string("silu_and_mul"),
               launch = file.string("cudaLaunchKernel_v7000"), layer = file.string("layer 3");
    file.kernel_table();
    file.kernel(1'000, 5'000, 200, 0, 7, 11, gemm);
    file.kernel(2'000, 4'000, 300, 1, 13, 11, act);  // the same correlation id in another process
    file.sql(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT "
        "NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes "
        "INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcDeviceId INTEGER, dstDeviceId INTEGER)");
    const std::string at = ",0,1,7,12," + std::to_string(global_id(200));
    for (int kind = 0; kind <= 14; ++kind)
      file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (" + std::to_string(6'000 + 10 * kind) + "," +
               std::to_string(6'005 + 10 * kind) + at + "," + std::to_string(100 + kind) + "," + std::to_string(kind) +
               ",NULL,NULL)");
    file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (6900,6950" + at + ",77,8,0,1)");
    file.sql(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT "
        "NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value "
        "INTEGER NOT NULL, bytes INTEGER NOT NULL)");
    file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (7000,7001" + at + ",0,4096)");
    file.call_table();
    file.call(500, 600, 200, 201, 11, launch);
    file.call(700, 800, 300, 301, 11, launch);
    file.call(700, 800, 999, 999, 5, launch);  // a process without device work
    file.range_table();
    file.range(400, "900", 59, "", std::to_string(layer), 200, 201);
    file.range(450, "650", 60, "dispatch", "NULL", 200, 201);
    file.range(460, "470", 59, "aten::add, seq = 1, op_id = 2", "NULL", 200, 201);
    file.range(480, "NULL", 60, "never ended", "NULL", 300, 301);
    file.range(490, "NULL", 34, "a mark", "NULL", 200, 201);
  }
  const Trace trace = load_trace({path}, "auto", {});
  REQUIRE(trace.files.size() == 1);
  CHECK(trace.files[0].host == "node7");
  CHECK(trace.files[0].started_unix_ns == kSession);
  CHECK(trace.clocks.at(0).kind == ClockKind::kREALTIME);
  CHECK(trace.clocks.at(0).boot_id == "node7");
  CHECK(has(trace, {"void gemm<(int)128>(float*)", 0, 0, kSession + 1'000, 4'000, -1, SpanKind::kKERNEL}));
  CHECK(has(trace, {"silu_and_mul", 1, 1, kSession + 2'000, 2'000, -1, SpanKind::kKERNEL}));
  CHECK(has(trace, {"Memset", 0, 0, kSession + 7'000, 1, 4'096, SpanKind::kMEMSET}));
  CHECK(has(trace, {"layer 3", 0, -1, kSession + 400, 500, -1, SpanKind::kRANGE}));
  CHECK(has(trace, {"dispatch", 0, -1, kSession + 450, 200, -1, SpanKind::kRANGE}));
  CHECK(has(trace, {"aten::add", 0, -1, kSession + 460, 10, -1, SpanKind::kRANGE}));
  CHECK(said(trace, "rank_assumed") == 2);
  CHECK(said(trace, "event_left_out") == 2);  // the mark, the call of the process without device work

  // ENUM_CUDA_MEMCPY_OPER by number.
  const CopyKind kinds[] = {CopyKind::kNONE, CopyKind::kH2D, CopyKind::kD2H, CopyKind::kH2D, CopyKind::kD2H,
                            CopyKind::kD2D,  CopyKind::kD2D, CopyKind::kD2D, CopyKind::kD2D, CopyKind::kH2H,
                            CopyKind::kP2P,  CopyKind::kH2D, CopyKind::kD2H, CopyKind::kD2D, CopyKind::kNONE};
  const LaunchIndex launches(trace);
  std::size_t copies = 0;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    const Context& context = trace.context_of(row);
    if (context.kind == SpanKind::kCOPY) {
      ++copies;
      const std::int64_t bytes = trace.spans.bytes[row];
      CHECK(context.copy_kind == (bytes == 77 ? CopyKind::kP2P : kinds[bytes - 100]));
    } else if (context.kind == SpanKind::kKERNEL) {
      const auto launch = launches.launch_of(row);
      REQUIRE(launch);
      CHECK(trace.name_of(*launch) == "cudaLaunchKernel");
      CHECK(trace.track_of(*launch).rank == trace.track_of(row).rank);
      CHECK(trace.track_of(*launch).os_tid == (trace.track_of(row).rank.value == 0 ? 201 : 301));
    } else if (trace.name_of(row) == "aten::add") {
      CHECK(context.flags == kContextOperator);
    } else if (trace.name_of(row) == "never ended") {
      CHECK(context.flags == kContextUnterminated);
      CHECK(trace.spans.end(row) == kSession + 7'001);
    }
  }
  CHECK(copies == 16);
}

TEST_CASE("an export whose graphs were recorded whole says so, and has no kernels") {
  const test::ScratchFolder folder;
  const std::string path = folder / "graphs.sqlite";
  {
    NsysExport file(path);
    file.sql(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId "
        "INTEGER, "
        "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER, graphExecId INTEGER)");
    for (int i = 0; i < 3; ++i)
      file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (" + std::to_string(i * 1'000) + "," +
               std::to_string(i * 1'000 + 600) + ",0,1,7," + std::to_string(i) + "," + std::to_string(global_id(50)) +
               ",9,10)");
  }
  const Trace trace = load_trace({path}, "nsys", {});
  REQUIRE(trace.spans.size() == 3);
  for (std::size_t row = 0; row < 3; ++row) {
    CHECK(trace.context_of(row).kind == SpanKind::kGRAPH);
    CHECK(trace.name_of(row) == "CUDA graph 9");
    CHECK(trace.spans.duration[row] == 600);
  }
  CHECK(said(trace, "graph_granular") == 3);
  CHECK(said(trace, "no_launch_side") == 3);
  CHECK(trace.clocks.at(0).kind == ClockKind::kMONOTONIC);  // no session start: a clock of its own
}

TEST_CASE("an old export: short names, no processes, the driver's calls in a table of their own") {
  const test::ScratchFolder folder;
  const std::string path = folder / "old.sqlite";
  {
    NsysExport file(path);
    file.sql("DROP TABLE META_DATA_EXPORT");
    file.sql("CREATE TABLE EXPORT_META_DATA (name TEXT, value TEXT)");
    const auto name = file.string("kernel"), call = file.string("cuLaunchKernel");
    file.sql(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, "
        "streamId "
        "INT NOT NULL, correlationId INT NOT NULL, shortName INT NOT NULL)");
    file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,200,0,7,5," + std::to_string(name) + ")");
    file.sql(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (start INT NOT NULL, end INT NOT NULL, globalTid INT NOT NULL, "
        "correlationId INT NOT NULL, nameId INT NOT NULL)");
    file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER VALUES (10,20," + std::to_string(global_id(44, 45)) + ",5," +
             std::to_string(call) + ")");
  }
  const Trace trace = load_trace({path}, "auto", {});
  CHECK(has(trace, {"kernel", 0, 0, 100, 100, -1, SpanKind::kKERNEL}));
  CHECK(has(trace, {"cuLaunchKernel", 0, -1, 10, 10, -1, SpanKind::kRUNTIME}));
  CHECK(said(trace, "no_launch_side") == 0);
}

TEST_CASE("rows without times, names that the file lacks, and high string ids") {
  const test::ScratchFolder folder;
  const std::string path = folder / "gaps.sqlite";
  constexpr std::int64_t kHigh = 9'000'000'000;
  {
    NsysExport file(path);
    const auto name = file.string("kernel");
    file.sql("INSERT INTO StringIds VALUES (" + std::to_string(kHigh) + ", 'far away')");
    file.sql("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, globalPid, demangledName)");
    const auto row = [&](const std::string& start, const std::string& end, std::int64_t id) {
      file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + start + "," + end + ",0,7,NULL," +
               std::to_string(id) + ")");
    };
    row("100", "200", name);
    row("NULL", "200", name);
    row("300", "NULL", name);
    row("500", "400", name);  // ends before it starts
    row("9223372036854775807", "9223372036854775807", name);
    row("-50", "-40", kHigh);  // before the session's start
    row("600", "700", 4'711);
    row("600", "700", -3);
  }
  const Trace trace = load_trace({path}, "auto", {});
  CHECK(trace.spans.size() == 4);
  CHECK(has(trace, {"far away", 0, 0, -50, 10, -1, SpanKind::kKERNEL}));
  CHECK(has(trace, {"string 4711", 0, 0, 600, 100, -1, SpanKind::kKERNEL}));
  CHECK(said(trace, "event_without_time") == 4);
  CHECK(said(trace, "name_missing") == 2);
}

TEST_CASE("ranges alone are a trace too, of the processes that have them") {
  const test::ScratchFolder folder;
  const std::string path = folder / "ranges.sqlite";
  {
    NsysExport file(path);
    file.range_table();
    file.range(10, 20, "a", 70, 71);
    file.range(30, 50, "b", 80, 81);
  }
  const Trace trace = load_trace({path}, "auto", {});
  CHECK(has(trace, {"a", 0, -1, 10, 10, -1, SpanKind::kRANGE}));
  CHECK(has(trace, {"b", 1, -1, 30, 20, -1, SpanKind::kRANGE}));
}

TEST_CASE("the launcher's environment names the rank where the recorder saw one process") {
  const test::ScratchFolder folder;
  const auto make = [&folder](const std::string& name, const std::string& rank, bool second) {
    NsysExport file(folder / name);
    const auto id = file.string("kernel");
    file.kernel_table();
    file.kernel(0, 10, 5, 0, 7, 1, id);
    if (second) file.kernel(0, 10, 6, 1, 7, 1, id);
    file.sql("CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT)");
    for (const std::string& pair : {"RANK=\"" + rank + "\"", std::string("WORLD_SIZE=\"8\""),
                                    std::string("LOCAL_RANK=\"1\""), std::string("SLURM_PROCID=\"3\"")})
      file.sql("INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', '" + pair + "')");
  };
  make("a.sqlite", "5", false);
  make("b.sqlite", "2", false);
  make("c.sqlite", "1", true);
  make("d.sqlite", "5", false);
  const Trace both = load_trace({folder / "a.sqlite", folder / "b.sqlite"}, "auto", {});
  REQUIRE(both.ranks.size() == 2);
  CHECK(both.ranks[0].rank.value == 2);
  CHECK(both.ranks[1].rank.value == 5);
  CHECK(both.ranks[1].world_size == 8);
  CHECK(both.ranks[1].local_rank == 1);
  CHECK(said(both, "rank_assumed") == 0);
  const Trace torchrun = load_trace({folder / "c.sqlite"}, "auto", {});  // the environment of neither
  REQUIRE(torchrun.ranks.size() == 2);
  CHECK(torchrun.ranks[0].rank.value == 0);
  CHECK(said(torchrun, "rank_assumed") == 2);
  try {
    load_trace({folder / "a.sqlite", folder / "d.sqlite"}, "auto", {});
    FAIL("two files of one rank");
  } catch (const TraceError& error) {
    CHECK(std::string(error.what()).find("d.sqlite: process 5: rank 5 was already read") != std::string::npos);
  }
}

TEST_CASE("gzip, folders of exports, other SQLite files, and the progress bar") {
  const test::ScratchFolder folder;
  {
    NsysExport file(folder / "export.bin");
    const auto id = file.string("kernel");
    file.kernel_table();
    file.sql("BEGIN");
    for (int i = 0; i < 10'000; ++i) file.kernel(i * 10, i * 10 + 5, 5, 0, 7 + i % 3, i, id);
    file.sql("COMMIT");
  }
  const std::string bytes = test::contents(folder / "export.bin");
  const gzFile out = gzopen((folder / "sub.gz").c_str(), "wb");
  REQUIRE(gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
  gzclose(out);
  ImportOptions options;
  std::uint64_t last = 0, calls = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    CHECK(done >= last);
    CHECK(total == bytes.size());
    last = done;
    ++calls;
  };
  CHECK(load_trace({folder / "export.bin"}, "auto", options).spans.size() == 10'000);
  CHECK(calls >= 3);
  CHECK(last == bytes.size());
  CHECK(load_trace({folder / "sub.gz"}, "auto", {}).spans.size() == 10'000);
  // The folder holds two exports of one process each.
  const Trace both = load_trace({folder.path()}, "auto", {});
  CHECK(both.ranks.size() == 2);
  CHECK(both.spans.size() == 20'000);
  {
    trace::Database other;
    REQUIRE(trace::Database::open(folder / "other.db", trace::Database::Mode::kCreateExclusive, &other));
    REQUIRE(other.execute("CREATE TABLE t (a)"));
  }
  try {
    load_trace({folder / "other.db"}, "auto", {});
    FAIL("no trace");
  } catch (const TraceError& error) {
    CHECK(std::string(error.what()).find("not a moescope run file") != std::string::npos);
  }
  const std::string other = test::contents(folder / "other.db");
  const gzFile packed = gzopen((folder / "other.gz").c_str(), "wb");
  REQUIRE(gzwrite(packed, other.data(), static_cast<unsigned>(other.size())) == static_cast<int>(other.size()));
  gzclose(packed);
  try {
    load_trace({folder / "other.gz"}, "auto", {});
    FAIL("no trace");
  } catch (const TraceError& error) {
    CHECK(std::string(error.what()).find("a SQLite file, but no export of Nsight Systems") != std::string::npos);
  }
}

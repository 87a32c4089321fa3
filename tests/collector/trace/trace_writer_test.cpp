// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/trace_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "tests/collector/trace/sqlite_query.h"

using namespace moescope::trace;
using namespace moescope::test;

namespace {

RunRow run_row() {
  RunRow run;
  run.tool_version = "1.2.3";
  run.run_id = "job-7";
  run.run_id_source = "slurm";
  run.attempt = 2;
  run.started_unix_ns = 1700000000000000001;
  return run;
}
ProcessRow process_row() {
  ProcessRow process;
  process.host = "node-a";
  process.pid = 4242;
  process.image_start_ns = 99;
  process.boot_id = "boot";
  process.executable = "/bin/job";
  process.argv = "[\"job\"]";
  return process;
}
std::unique_ptr<TraceWriter> create(const std::string& path, TraceWriter::Options options = {}) {
  std::string error;
  auto writer = TraceWriter::create(path, run_row(), process_row(), options, &error);
  INFO(error);
  REQUIRE(writer != nullptr);
  return writer;
}

}  // namespace

TEST_CASE("The file says what it is") {
  ScratchFolder dir;
  const std::string path = dir / "a.moe.db";
  REQUIRE(create(path)->finish(1700000000000000009, "exit"));
  CHECK(files_in(dir) == std::vector<std::string>{"a.moe.db"});  // neither -wal nor -shm is left
  CHECK(number(path, "PRAGMA application_id") == 0x4d6f6553);
  CHECK(number(path, "PRAGMA user_version") == 1);
  CHECK(number(path, "PRAGMA page_size") == 16384);
  CHECK(value(path, "PRAGMA journal_mode") == "delete");
  CHECK(value(path, "PRAGMA integrity_check") == "ok");
  const Row run = query(path, "SELECT * FROM run").at(0);
  CHECK(run[0] == "1");
  CHECK(run[1] == "1.2.3");
  CHECK(run[2].size() == 36);
  CHECK(Row(run.begin() + 3, run.end()) ==
        Row{"job-7", "slurm", "2", "moescope", "", "1700000000000000001", "1700000000000000009", "exit"});
  CHECK(query(path, "SELECT * FROM process") ==
        std::vector<Row>{{"node-a", "4242", "99", "boot", "-1", "/bin/job", "[\"job\"]", "none"}});
  CHECK(value(path, "SELECT text FROM enum_value WHERE enumeration='stage' AND value=3") == "dispatch");
  CHECK(number(path, "SELECT count(*) FROM enum_value WHERE enumeration='stage'") == MOESCOPE_STAGE_COUNT);
  CHECK(number(path, "SELECT count(DISTINCT enumeration) FROM enum_value") == 12);
}

TEST_CASE("Two files never share a uuid") {
  ScratchFolder dir;
  create(dir / "a.moe.db")->finish(1, "exit");
  create(dir / "b.moe.db")->finish(1, "exit");
  CHECK(value(dir / "a.moe.db", "SELECT file_uuid FROM run") != value(dir / "b.moe.db", "SELECT file_uuid FROM run"));
}

TEST_CASE("Schema, run and process are there before the first row") {
  ScratchFolder dir;
  const auto writer = create(dir / "a.moe.db");
  CHECK(value(dir / "a.moe.db", "SELECT run_id FROM run") == "job-7");
  CHECK(value(dir / "a.moe.db", "SELECT host FROM process") == "node-a");
  CHECK(value(dir / "a.moe.db", "SELECT end_kind FROM run") == "NULL");
}

TEST_CASE("Every row type comes back as it went in") {
  ScratchFolder dir;
  const std::string path = dir / "a.moe.db";
  auto writer = create(path);
  ProcessRow process = process_row();
  process.rank_source = "annotation";
  writer->process(process);
  writer->rank({3, 8, 1, 0});
  writer->rank({3, 16, 1, 0});  // replaces
  DeviceRow device;
  device.rank = 3;
  device.name = "H200";
  device.link_gb_s = 450;
  device.link_kind = MOESCOPE_LINK_NVLINK;
  device.source = "annotation";
  writer->device(device);
  ModelRow model;
  model.name = "old";
  writer->model(model);
  model = {"flash", 4096, 2048, 256, 6, 43, 1, 1, 1.0, 2.0, -1, 0, "annotation"};
  writer->model(model);
  writer->clock({0, MOESCOPE_CLOCK_MONOTONIC, "monotonic", 1000});
  writer->clock({1, MOESCOPE_CLOCK_VIRTUAL, "virtual", 0});
  writer->clock_sync({0, 5, 2, 6, 7});
  writer->track({4, 3, 0, MOESCOPE_TRACK_EXECUTION, 1, 77, -1, "link"});
  writer->step({3, 0, 100, MOESCOPE_STEP_TRAIN, 1, 10, -1});
  writer->step({3, 0, 100, MOESCOPE_STEP_TRAIN, 1, 10, 500});
  writer->router_load({0, 2, -1, 3, 17, MOESCOPE_SIDE_SENT, 90, 81});
  writer->peer_traffic({0, 2, -1, 1, MOESCOPE_STAGE_COMBINE, MOESCOPE_PASS_FORWARD, 3, 5, 123456789012});
  writer->comm_group({9, MOESCOPE_GROUP_EP, "ep0", {3, 1, 2}});
  writer->comm_group({9, MOESCOPE_GROUP_EP, "ep0", {3, 1, 2}});
  writer->expert_placement({5, -1, 40, 12, 3});
  writer->link({6, 3, MOESCOPE_LINK_INFINIBAND, "mlx5_0/1", -1});
  writer->link_sample({6, 0, 1000, 2000});
  writer->link_sample({6, 1000, 51000, 2000});
  writer->diagnostic({"warning", "odd", 2, "x"});
  writer->diagnostic({"warning", "odd", 3, "x"});
  writer->diagnostic({"warning", "odd", 1, "y"});
  const auto name = writer->name("dispatch", "");
  CHECK(writer->name("dispatch", "") == name);
  CHECK(writer->name("dispatch", "NCCL") != name);
  ContextRow context;
  context.kind = MOESCOPE_SPAN_WORK;
  context.stage = context.role = MOESCOPE_STAGE_DISPATCH;
  context.pass = MOESCOPE_PASS_FORWARD;
  context.step = 0;
  context.layer = 2;
  context.wave = 1;
  const auto plain = writer->context(context);
  CHECK(writer->context(context) == plain);
  context.flags = kFlagUnterminated;
  CHECK(writer->context(context) != plain);
  writer->span({20, 30, 4, name, plain, 0, 4096, -1});
  writer->span({60, 30, 4, name, plain, 8, -1, 1e9});
  writer->span({95, 1, 4, name, plain, 0, -1, -1});
  REQUIRE(writer->finish(2, "_exit"));
  CHECK(writer->spans_written() == 3);
  CHECK(writer->rows_lost() == 0);

  CHECK(value(path, "SELECT rank_source FROM process") == "annotation");
  CHECK(query(path, "SELECT * FROM rank") == std::vector<Row>{{"3", "16", "1", "0"}});
  CHECK(query(path, "SELECT * FROM device") ==
        std::vector<Row>{{"3", "0", "H200", "NULL", "450.0", "2", "-1", "annotation"}});
  CHECK(query(path, "SELECT * FROM model") == std::vector<Row>{{"flash", "4096", "2048", "256", "6", "43", "1", "1",
                                                                "1.0", "2.0", "NULL", "0", "annotation"}});
  CHECK(query(path, "SELECT * FROM clock") ==
        std::vector<Row>{{"0", "0", "monotonic", "1000"}, {"1", "2", "virtual", "0"}});
  CHECK(query(path, "SELECT * FROM clock_sync") == std::vector<Row>{{"0", "5", "2", "6", "7"}});
  CHECK(query(path, "SELECT * FROM track") == std::vector<Row>{{"4", "3", "0", "1", "1", "77", "-1", "link"}});
  CHECK(query(path, "SELECT * FROM step") == std::vector<Row>{{"3", "0", "100", "1", "1", "10", "500"}});
  CHECK(query(path, "SELECT * FROM comm_group") == std::vector<Row>{{"9", "0", "ep0"}});
  CHECK(query(path, "SELECT * FROM comm_group_rank") ==
        std::vector<Row>{{"9", "0", "3"}, {"9", "1", "1"}, {"9", "2", "2"}});
  CHECK(query(path, "SELECT * FROM expert_placement") == std::vector<Row>{{"5", "-1", "40", "12", "3"}});
  CHECK(query(path, "SELECT * FROM link") == std::vector<Row>{{"6", "3", "4", "mlx5_0/1", "NULL"}});
  CHECK(query(path, "SELECT severity, code, count, detail FROM diagnostic ORDER BY rowid") ==
        std::vector<Row>{{"warning", "odd", "5", "x"}, {"warning", "odd", "1", "y"}});
  CHECK(query(path, "SELECT * FROM peer_traffic") ==
        std::vector<Row>{{"0", "2", "-1", "1", "7", "1", "3", "5", "123456789012"}});

  SECTION("and the views resolve names") {
    CHECK(query(path,
                "SELECT id, rank, track, start_ns, dur_ns, stage, role, pass, kind, source, name, step, layer, "
                "wave, bytes, flops, correlation, clock FROM stage_span ORDER BY id") ==
          std::vector<Row>{{"1", "3", "link", "20", "30", "dispatch", "dispatch", "forward", "work", "annotation",
                            "dispatch", "0", "2", "1", "4096", "NULL", "0", "virtual"},
                           {"2", "3", "link", "60", "30", "dispatch", "dispatch", "forward", "work", "annotation",
                            "dispatch", "0", "2", "1", "-1", "1000000000.0", "8", "virtual"},
                           {"3", "3", "link", "95", "1", "dispatch", "dispatch", "forward", "work", "annotation",
                            "dispatch", "0", "2", "1", "NULL", "NULL", "0", "virtual"}});
    CHECK(query(path, "SELECT rank, step, layer, wave, stage, start_ns, end_ns, spans FROM wave") ==
          std::vector<Row>{{"3", "0", "2", "1", "dispatch", "20", "96", "3"}});
    CHECK(query(path, "SELECT side, expert, assigned, kept, dropped FROM router") ==
          std::vector<Row>{{"sent", "17", "90", "81", "9"}});
    CHECK(query(path, "SELECT link, tx_gb_s, rx_gb_s FROM link_rate") == std::vector<Row>{{"mlx5_0/1", "50.0", "0.0"}});
  }
}

TEST_CASE("A hundred thousand random spans come back exactly, over many flushes") {
  ScratchFolder dir;
  const std::string path = dir / "a.moe.db";
  auto writer = create(path);
  std::mt19937_64 random(7);
  std::vector<SpanRow> given;
  for (int i = 0; i < 100000; ++i) {
    SpanRow row;
    row.start_rel = static_cast<std::int64_t>(random() >> (random() % 40));
    row.dur = static_cast<std::int64_t>(random() % 100000);
    row.track = static_cast<std::int32_t>(random() % 64);
    row.name = static_cast<std::int32_t>(random() % 1000);
    row.context = static_cast<std::int32_t>(random() % 1000);
    row.correlation = static_cast<std::int64_t>(random() >> 1);
    if (random() % 3 == 0) row.bytes = static_cast<std::int64_t>(random() % 1000000);
    if (random() % 4 == 0) row.flops = static_cast<double>(random() % 1000000);
    given.push_back(row);
    writer->span(row);
    if (random() % 5000 == 0) REQUIRE(writer->flush());
  }
  REQUIRE(writer->finish(1, "exit"));
  const auto rows = query(path,
                          "SELECT start_rel, dur, track, name, context, correlation, bytes, flops "
                          "FROM span LEFT JOIN span_quantity ON span = span.rowid ORDER BY span.rowid");
  REQUIRE(rows.size() == given.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const SpanRow& g = given[i];
    const bool any = g.bytes >= 0 || g.flops >= 0;
    const Row want = {std::to_string(g.start_rel),
                      std::to_string(g.dur),
                      std::to_string(g.track),
                      std::to_string(g.name),
                      std::to_string(g.context),
                      std::to_string(g.correlation),
                      any ? std::to_string(g.bytes) : "NULL",
                      g.flops >= 0 ? std::to_string(static_cast<long long>(g.flops)) + ".0" : "NULL"};
    wrong += rows[i] != want;
  }
  CHECK(wrong == 0);
}

TEST_CASE("A file that is there is never written into") {
  ScratchFolder dir;
  for (const bool durable : {true, false}) {
    const std::string path = dir / (durable ? "a" : "b");
    const int file = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
    REQUIRE(write(file, "mine", 4) == 4);
    close(file);
    std::string error;
    CHECK(TraceWriter::create(path, run_row(), process_row(), {true, durable}, &error) == nullptr);
    CHECK(error.find(path) != std::string::npos);
    CHECK(std::filesystem::file_size(path) == 4);
  }
  CHECK(files_in(dir).size() == 2);
}

TEST_CASE("A directory that isn't there is an error, not an exception") {
  std::string error;
  CHECK(TraceWriter::create("/nowhere/at/all.moe.db", run_row(), process_row(), {}, &error) == nullptr);
  CHECK(error.find("/nowhere/at/all.moe.db") != std::string::npos);
}

TEST_CASE("An imported file appears under its name only when whole") {
  ScratchFolder dir;
  const std::string path = dir / "a.moe.db";
  SECTION("finished") {
    auto writer = create(path, {true, false});
    writer->span({1, 2, 3, 4, 5, 6, -1, -1});
    REQUIRE(writer->flush());
    CHECK_FALSE(std::filesystem::exists(path));
    REQUIRE(writer->finish(5, "import"));
    CHECK(files_in(dir) == std::vector<std::string>{"a.moe.db"});
    CHECK(number(path, "SELECT count(*) FROM span") == 1);
  }
  SECTION("given up") {
    create(path, {true, false})->flush();
    CHECK(files_in(dir).empty());
  }
  SECTION("somebody else took the name meanwhile") {
    auto writer = create(path, {true, false});
    close(open(path.c_str(), O_CREAT | O_WRONLY, 0600));
    CHECK_FALSE(writer->finish(5, "import"));
    CHECK(std::filesystem::file_size(path) == 0);
    CHECK(files_in(dir) == std::vector<std::string>{"a.moe.db"});
  }
}

TEST_CASE("SIGKILL leaves whole flushes and a sound file") {
  ScratchFolder dir;
  std::mt19937 random(3);
  for (int trial = 0; trial < 12; ++trial) {
    const std::string path = dir / (std::to_string(trial) + ".moe.db");
    constexpr int kPerFlush = 500;
    const pid_t child = fork();
    if (child == 0) {
      std::string error;
      auto writer = TraceWriter::create(path, run_row(), process_row(), {}, &error);
      for (;;) {
        for (int i = 0; i < kPerFlush; ++i) writer->span({i, 1, 0, 0, 0, 0, i % 2 ? 5 : -1, -1});
        writer->flush();
      }
    }
    while (!std::filesystem::exists(path)) usleep(1000);
    usleep(20000 + static_cast<unsigned>(random() % 150000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (std::filesystem::file_size(path) == 0 && !std::filesystem::exists(path + "-wal")) continue;
    CHECK(value(path, "PRAGMA integrity_check") == "ok");
    if (number(path, "SELECT count(*) FROM sqlite_master") == 0) continue;  // killed before the schema was whole
    CHECK(value(path, "SELECT ended_unix_ns FROM run") == "NULL");
    const long long spans = number(path, "SELECT count(*) FROM span");
    CHECK(spans % kPerFlush == 0);
    CHECK(number(path, "SELECT count(*) FROM span_quantity") == spans / 2);
  }
}

TEST_CASE("A disk that refuses costs rows, which are counted, and nothing else") {
  ScratchFolder dir;
  const std::string path = dir / "a.moe.db";
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    std::string error;
    auto writer = TraceWriter::create(path, run_row(), process_row(), {}, &error);
    writer->name("before");
    writer->span({1, 1, 0, 0, 0, 0, -1, -1});
    if (!writer->flush()) _exit(2);
    const rlim_t room = std::filesystem::file_size(path + "-wal") + 300000;
    const rlimit full{room, room};
    setrlimit(RLIMIT_FSIZE, &full);
    const auto kept = writer->name("kept");
    for (int i = 0; i < 200000; ++i) writer->span({i * 1000000LL, 1, 0, kept, 0, 0, -1, -1});
    if (writer->flush()) _exit(3);
    if (writer->rows_lost() != 200000) _exit(4);
    if (writer->error().empty()) _exit(5);
    writer->span({2, 1, 0, kept, 0, 0, -1, -1});
    if (!writer->flush()) _exit(6);  // there was room for a small one
    if (writer->spans_written() != 2) _exit(7);
    writer->finish(9, "exit");
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(value(path, "PRAGMA integrity_check") == "ok");
  CHECK(number(path, "SELECT count(*) FROM span") == 2);
  CHECK(number(path, "SELECT count(*) FROM name") == 2);  // the name of the lost spans came with the next flush
}

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/store/trace_reader.h"

#include <sqlite3.h>

#include <filesystem>
#include <set>

#include "collector/trace/trace_writer.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
namespace fs = std::filesystem;

namespace {

trace::ProcessRow process(std::int64_t pid, const std::string& boot) {
  trace::ProcessRow row;
  row.host = "node1";
  row.pid = pid;
  row.boot_id = boot;
  row.executable = "/bin/job";
  row.argv = "[\"job\"]";
  return row;
}

// A writer with one rank, one execution track and three spans, of which the last has bytes.
std::unique_ptr<trace::TraceWriter> begin_run(const std::string& path, std::int32_t rank, std::int64_t base,
                                              const std::string& boot = "boot-a", bool durable = true) {
  trace::RunRow run;
  run.run_id = "job-7";
  run.started_unix_ns = 99;
  trace::TraceWriter::Options options;
  options.durable_wal = durable;
  std::string error;
  auto writer = trace::TraceWriter::create(path, run, process(10 + rank, boot), options, &error);
  INFO(error);
  REQUIRE(writer);
  writer->rank({rank, 2, rank, 0});
  writer->clock({0, MOESCOPE_CLOCK_MONOTONIC, "monotonic", base});
  writer->clock({1, MOESCOPE_CLOCK_VIRTUAL, "virtual", 0});
  writer->track({4, rank, 0, MOESCOPE_TRACK_EXECUTION, 0, -1, -1, "lane"});
  trace::ContextRow dispatch;
  dispatch.kind = MOESCOPE_SPAN_WORK;
  dispatch.stage = dispatch.role = MOESCOPE_STAGE_DISPATCH;
  dispatch.wave = 2;
  dispatch.step = 0;
  const auto context = writer->context(dispatch);
  writer->step({rank, 0, 40, MOESCOPE_STEP_TRAIN, 0, 5, 300});
  for (int i = 0; i < 3; ++i) {
    trace::SpanRow span;
    span.start_rel = 10 + 100 * i;
    span.dur = 50;
    span.track = 4;
    span.name = writer->name(i == 0 ? "only " + std::to_string(rank) : "shared");
    span.context = context;
    span.correlation = i;
    if (i == 2) span.bytes = 4096, span.flops = 1e6;
    writer->span(span);
  }
  writer->router_load({0, 1, 0, rank, 3, MOESCOPE_SIDE_RECEIVED, 17, 16});
  writer->peer_traffic({0, 1, 0, 2, MOESCOPE_STAGE_DISPATCH, MOESCOPE_PASS_FORWARD, rank, 1, 512});
  writer->comm_group({0, MOESCOPE_GROUP_EP, "ep", {0, 1}});
  writer->link({6, rank, MOESCOPE_LINK_EMULATED, "wire", 50});
  writer->link_sample({6, 20, 100, 200});
  writer->diagnostic({"warning", "dropped", 3, "ring full"});
  REQUIRE(writer->flush());
  return writer;
}

void write_run(const std::string& path, std::int32_t rank, std::int64_t base, const std::string& boot = "boot-a") {
  REQUIRE(begin_run(path, rank, base, boot)->finish(100, "exit"));
}

Trace read(const std::vector<std::string>& paths) {
  TraceBuilder builder;
  for (const std::string& path : paths) read_run_file(path, builder);
  return builder.finish();
}

std::string error_of(const std::string& path) {
  try {
    read({path});
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

void execute(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  INFO(sql);
  REQUIRE(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);
}

// Name, size and content of everything in a folder.
std::set<std::string> state_of(const std::string& folder) {
  std::set<std::string> state;
  for (const auto& entry : fs::directory_iterator(folder))
    state.insert(entry.path().filename().string() + "\n" + test::contents(entry.path().string()));
  return state;
}

// As a kill leaves it: the files as they are while the writer still holds them.
void copy_killed(const std::string& from, const std::string& to, bool with_wal) {
  fs::copy_file(from, to);
  if (with_wal) fs::copy_file(from + "-wal", to + "-wal");
}

}  // namespace

TEST_CASE("a run file's tables become the trace's") {
  const test::ScratchFolder folder;
  write_run(folder / "a.moe.db", 1, 1'000'000);
  const Trace trace = read({folder / "a.moe.db"});
  REQUIRE(trace.files.size() == 1);
  const SourceFile& file = trace.files[0];
  CHECK(file.run_id == "job-7");
  CHECK(file.host == "node1");
  CHECK(file.pid == 11);
  CHECK(file.format == "moescope");
  CHECK(file.started_unix_ns == 99);
  CHECK_FALSE(file.file_uuid.empty());
  CHECK_FALSE(file.cut_short);
  REQUIRE(trace.spans.size() == 3);
  CHECK(trace.spans.start == std::vector<Ns>{1'000'010, 1'000'110, 1'000'210});
  CHECK(trace.spans.bytes == std::vector<std::int64_t>{-1, -1, 4096});
  CHECK(trace.spans.flops == std::vector<double>{-1, -1, 1e6});
  CHECK(trace.spans.correlation == std::vector<std::int64_t>{0, 1, 2});
  CHECK(trace.name_of(0) == "only 1");
  CHECK(trace.context_of(0).stage == Stage::kDISPATCH);
  CHECK(trace.context_of(0).wave == WaveId(2));
  CHECK(trace.tracks.at(0).name == "lane");
  CHECK(trace.tracks.at(0).rank == RankId(1));
  CHECK(trace.ranks.at(0).world_size == 2);
  CHECK(trace.steps.at(0).number == 40);
  CHECK(trace.steps.at(0).window == Interval{1'000'005, 1'000'305});
  CHECK(trace.steps.at(0).kind == StepKind::kTRAIN);
  CHECK(trace.router_loads.at(0).assigned == 17);
  CHECK(trace.router_loads.at(0).kept == 16);
  CHECK(trace.peer_traffic.at(0).bytes == 512);
  CHECK(trace.comm_groups.at(0).ranks == std::vector<std::int32_t>{0, 1});
  CHECK(trace.links.at(0).peak_gb_s == 50);
  CHECK(trace.link_samples.at(0).time == 1'000'020);
  CHECK(trace.diagnostics.at(0).code == "dropped");
  CHECK(trace.diagnostics.at(0).count == 3);
}

TEST_CASE("several files are one trace: names shared, host clocks by boot, virtual clocks apart") {
  const test::ScratchFolder folder;
  write_run(folder / "a.moe.db", 0, 1'000);
  write_run(folder / "b.moe.db", 1, 2'000);
  write_run(folder / "c.moe.db", 2, 3'000, "boot-b");
  const Trace trace = read(run_files(folder.path()));
  CHECK(trace.files.size() == 3);
  CHECK(trace.spans.size() == 9);
  CHECK(trace.names == std::vector<std::string>{"only 0", "shared", "only 1", "only 2"});
  CHECK(trace.contexts.size() == 1);
  REQUIRE(trace.tracks.size() == 3);
  CHECK(trace.tracks[0].clock == trace.tracks[1].clock);
  CHECK(trace.tracks[0].clock != trace.tracks[2].clock);
  CHECK(trace.clocks.size() == 5);  // two boots' monotonic, three virtual
  CHECK(trace.spans.start[0] == 1'010);
  CHECK(trace.spans.start[3] == 2'010);
}

TEST_CASE("a killed writer's file is read with its -wal, and nothing beside it changes") {
  const test::ScratchFolder folder, cache;
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const auto writer = begin_run(folder / "live.moe.db", 0, 0);
  const test::ScratchFolder killed;
  copy_killed(folder / "live.moe.db", killed / "run.moe.db", true);
  const auto before = state_of(killed.path());
  REQUIRE(before.size() == 2);
  const Trace trace = read({killed / "run.moe.db"});
  CHECK(trace.spans.size() == 3);
  CHECK(trace.cut_short());
  CHECK(trace.files.at(0).cut_short_reason == "no clean end: killed, or still running");
  CHECK(state_of(killed.path()) == before);
  CHECK(fs::is_empty(fs::path(cache.path()) / "moescope"));  // the copy is gone
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("a run that is still being written can be read, again and again") {
  const test::ScratchFolder folder;
  const auto writer = begin_run(folder / "live.moe.db", 0, 0);
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder.path())) found.insert(entry.path().filename().string());
    return found;
  };
  const auto before = names();
  for (std::size_t spans = 3; spans < 40; ++spans) {
    const Trace trace = read({folder / "live.moe.db"});
    CHECK(trace.spans.size() == spans);
    CHECK(trace.cut_short());
    trace::SpanRow span;
    span.track = 4;
    span.name = writer->name("later");
    span.context = writer->context({});
    writer->span(span);
    REQUIRE(writer->flush());
  }
  CHECK(names() == before);
  REQUIRE(writer->finish(1, "exit"));
  CHECK_FALSE(read({folder / "live.moe.db"}).cut_short());
}

TEST_CASE("a killed writer's file that came without its -wal is cut short: no error, not silently empty") {
  const test::ScratchFolder folder, other;
  const auto writer = begin_run(folder / "live.moe.db", 0, 0);
  copy_killed(folder / "live.moe.db", other / "run.moe.db", false);
  const Trace trace = read({other / "run.moe.db"});
  REQUIRE(trace.files.size() == 1);
  CHECK(trace.cut_short());
  CHECK_FALSE(trace.files[0].cut_short_reason.empty());
  test::write_file(other / "empty.moe.db", "");
  const Trace empty = read({other / "empty.moe.db"});
  CHECK(empty.cut_short());
  CHECK(empty.files.at(0).cut_short_reason.find("-wal") != std::string::npos);
}

TEST_CASE("a whole file is read in place, from a folder that can't be written") {
  const test::ScratchFolder folder;
  write_run(folder / "a.moe.db", 0, 0);
  const auto before = state_of(folder.path());
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Trace trace = read({folder / "a.moe.db"});
  fs::permissions(folder.path(), fs::perms::owner_all);
  CHECK(trace.spans.size() == 3);
  CHECK(state_of(folder.path()) == before);
}

TEST_CASE("odd characters in a path are no trouble") {
  const test::ScratchFolder folder;
  write_run(folder / "a b?c#d%20.moe.db", 0, 0);
  CHECK(read({folder / "a b?c#d%20.moe.db"}).spans.size() == 3);
}

TEST_CASE("what isn't a run file says so in one line") {
  const test::ScratchFolder folder;
  test::write_file(folder / "text.moe.db", "just words, and no database at all");
  CHECK(error_of(folder / "text.moe.db") ==
        folder / "text.moe.db" + std::string(": not a SQLite file; name a *.moe.db file"));
  execute(folder / "other.db", "CREATE TABLE t(x); INSERT INTO t VALUES(1)");
  CHECK(error_of(folder / "other.db").find("a SQLite file, but not a moescope run file") != std::string::npos);
  CHECK(error_of(folder / "missing.moe.db").find("no such file or directory") != std::string::npos);
  write_run(folder / "new.moe.db", 0, 0);
  execute(folder / "new.moe.db", "PRAGMA user_version=2");
  CHECK(error_of(folder / "new.moe.db") ==
        folder / "new.moe.db" +
            std::string(": written by a newer moescope (schema 2; this one reads 1); update moescope"));
}

TEST_CASE("a damaged file is an error that names the table or the trouble, never a crash") {
  const test::ScratchFolder folder;
  write_run(folder / "good.moe.db", 0, 0);
  const std::string good = test::contents(folder / "good.moe.db");
  // Half the file is missing.
  test::write_file(folder / "cut.moe.db", good.substr(0, good.size() / 2));
  CHECK(error_of(folder / "cut.moe.db").find("copy") != std::string::npos);
  // References that lead nowhere.
  for (const auto& [sql, part] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE span SET track=77", "table span: names track 77, which is not there"},
           {"UPDATE span SET name=-5", "table span: names name -5"},
           {"UPDATE track SET clock=9", "table track: names clock 9"},
           {"UPDATE span SET dur=-1", "table span: a duration out of any range"},
           {"UPDATE span SET start_rel=9223372036854775807", "table span: a time out of any range"},
           {"DROP TABLE span_quantity", "table span_quantity"},
           {"DELETE FROM run", "table run: has no row"}}) {
    fs::copy_file(folder / "good.moe.db", folder / "bad.moe.db", fs::copy_options::overwrite_existing);
    execute(folder / "bad.moe.db", sql);
    INFO(sql << ": " << error_of(folder / "bad.moe.db"));
    CHECK(error_of(folder / "bad.moe.db").find(part) != std::string::npos);
  }
}

TEST_CASE("values from a later version's enumerations read as unknown") {
  const test::ScratchFolder folder;
  write_run(folder / "a.moe.db", 0, 0);
  execute(folder / "a.moe.db", "UPDATE context SET stage=200, pass=-3, source=99");
  const Trace trace = read({folder / "a.moe.db"});
  CHECK(trace.context_of(0).stage == Stage::kUNATTRIBUTED);
  CHECK(trace.context_of(0).pass == Pass::kUNKNOWN);
}

TEST_CASE("the run files of a path") {
  const test::ScratchFolder folder;
  CHECK_THROWS_WITH(run_files(folder.path()), Catch::Contains("a directory without run files (*.moe.db)"));
  CHECK_THROWS_WITH(run_files(folder / "no"), Catch::Contains("no such file"));
  for (const char* name : {"b.moe.db", "a.moe.db", "derived.moe.db", "a.moe.db-wal", "other.db"})
    test::write_file(folder / name, "x");
  CHECK(run_files(folder.path()) == std::vector<std::string>{folder / "a.moe.db", folder / "b.moe.db"});
  CHECK(run_files(folder / "other.db") == std::vector<std::string>{folder / "other.db"});
}

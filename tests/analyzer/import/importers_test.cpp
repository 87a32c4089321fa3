// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <set>
#include <thread>

#include "analyzer/import/importer.h"
#include "collector/trace/trace_writer.h"
#include "tests/analyzer/import/gzip_text.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

const std::string kTrace = R"([{"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 1, "dur": 1}])";

void write_run(const std::string& path, const std::string& run_id) {
  trace::RunRow run;
  run.run_id = run_id;
  std::string error;
  const auto writer = trace::TraceWriter::create(path, run, {}, {}, &error);
  REQUIRE(writer);
  writer->clock({});
  writer->track({});
  trace::SpanRow span;
  span.name = writer->name("a");
  span.context = writer->context({});
  writer->span(span);
  REQUIRE(writer->finish(1, "exit"));
}

std::string error_of(const std::vector<std::string>& paths, const std::string& format = "auto") {
  try {
    load_trace(paths, format, {});
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the list: every importer has a name of its own and says what it is") {
  std::set<std::string_view> names;
  for (const Importer& importer : importers()) {
    CHECK(names.insert(importer.name).second);
    CHECK_FALSE(importer.description.empty());
    CHECK_FALSE(importer.sniff(""));
  }
  CHECK(names.count("kineto") == 1);
}

TEST_CASE("what the user names is told apart by content") {
  const test::ScratchFolder folder;
  test::write_file(folder / "trace.bin", kTrace);
  write_run(folder / "run.anything", "r");
  CHECK(load_trace({folder / "trace.bin"}, "auto", {}).files.at(0).format == "kineto");
  CHECK(load_trace({folder / "trace.bin"}, "kineto", {}).spans.size() == 1);
  CHECK(load_trace({folder / "run.anything"}, "auto", {}).files.at(0).format == "moescope");
  CHECK(load_trace({folder / "run.anything"}, "moescope", {}).spans.size() == 1);
  CHECK(error_of({folder / "trace.bin"}, "moescope").find("not a SQLite file") != std::string::npos);
  CHECK(error_of({folder / "trace.bin"}, "oracle").find("unknown format \"oracle\"; use auto, moescope, router") !=
        std::string::npos);
}

TEST_CASE("a directory is its run files, else its traces, else an error") {
  const test::ScratchFolder folder;
  CHECK(error_of({folder.path()}).find("a directory without run files (*.moe.db)") != std::string::npos);
  test::write_file(folder / "rank1.json", kTrace);
  test::write_file(folder / "rank0.json", kTrace);
  test::write_file(folder / "notes.txt", "no trace");
  const Trace traces = load_trace({folder.path()}, "auto", {});
  REQUIRE(traces.files.size() == 2);
  CHECK(traces.files[0].path.ends_with("rank0.json"));
  REQUIRE(traces.diagnostics.size() > 1);
  CHECK(traces.diagnostics[0].code == "file_skipped");
  CHECK(traces.diagnostics[0].detail == folder.path() + ": 1 file is no trace and was left out: notes.txt");
  write_run(folder / "host-1-1.moe.db", "r");
  const Trace run = load_trace({folder.path()}, "auto", {});
  REQUIRE(run.files.size() == 1);
  CHECK(run.files[0].format == "moescope");
}

TEST_CASE("a folder of many ranks: plain, gzip, in sub-folders, in any order, with other files between") {
  const test::ScratchFolder folder;
  const auto trace = [](int rank) {
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(rank) +
           R"(}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": )" +
           std::to_string(rank + 1) + "}]}";
  };
  namespace fs = std::filesystem;
  for (const char* sub : {"rank0", "rank10/step", ".cache", "rank2"}) fs::create_directories(folder / sub);
  test::write_file(folder / "z.pt.trace.json", trace(3));
  test::write_file(folder / "a.json.gz", test::gzipped(trace(7)));
  test::write_file(folder / "rank0/trace.json", trace(0));
  test::write_file(folder / "rank10/step/t.json", trace(10));
  test::write_file(folder / "rank2/no_extension", test::gzipped(trace(2)));
  test::write_file(folder / "rank2/config.json", R"({"hidden_size": 7168})");
  test::write_file(folder / "rank2/readme.md", "words");
  test::write_file(folder / "empty.json", "");
  test::write_file(folder / ".cache/old.json", trace(3));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  ImportOptions options;
  options.progress = [&seen](std::uint64_t done, std::uint64_t total) { seen.emplace_back(done, total); };
  const Trace run = load_trace({folder.path()}, "auto", options);
  REQUIRE(run.ranks.size() == 5);
  const std::vector<std::int32_t> ranks = {0, 2, 3, 7, 10};
  for (std::size_t i = 0; i < ranks.size(); ++i) CHECK(run.ranks[i].rank == RankId(ranks[i]));
  for (std::size_t row = 0; row < run.spans.size(); ++row)  // each span has its own rank's length
    CHECK(run.spans.duration[row] == 1000 * (run.track_of(row).rank.value + 1));
  CHECK(run.diagnostics.at(0).detail ==
        folder.path() + ": 3 files are no traces and were left out: empty.json, rank2/config.json, rank2/readme.md");
  // One bar over all files: it never falls, and ends at the sum of their sizes.
  std::uint64_t sizes = 0;
  for (const SourceFile& file : run.files) sizes += fs::file_size(file.path);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(seen.back() == std::pair(sizes, sizes));
  CHECK(seen.size() >= 5);

  test::write_file(folder / "rank0/step2.json", trace(0));
  const std::string message = error_of({folder.path()});
  CHECK(message.find("rank0/trace.json: distributedInfo: rank 0 was already read from") != std::string::npos);
  CHECK(message.find("rank0/step2.json; name one trace a rank") != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("a folder without any trace names what it wants") {
  const test::ScratchFolder folder;
  test::write_file(folder / "config.json", R"({"hidden_size": 7168})");
  CHECK(error_of({folder.path()}) == folder.path() +
                                         ": neither run files (*.moe.db) nor traces in it; config.json is of a format "
                                         "this version does not know; name the folder that holds them");
}

TEST_CASE("a pipe is read once, as it comes") {
  const test::ScratchFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&pipe] { test::write_file(pipe, kTrace); });
  const Trace trace = load_trace({pipe}, "auto", {});
  writer.join();
  CHECK(trace.spans.size() == 1);
}

TEST_CASE("an empty run file is a run that was cut short, an empty trace an error") {
  const test::ScratchFolder folder;
  test::write_file(folder / "host-1-1.moe.db", "");
  CHECK(load_trace({folder.path()}, "auto", {}).cut_short());
  write_run(folder / "host-2-1.moe.db", "r");
  CHECK(load_trace({folder.path()}, "auto", {}).spans.size() == 1);
  test::write_file(folder / "empty.json", "");
  CHECK(error_of({folder / "empty.json"}).find("the file is empty") != std::string::npos);
}

TEST_CASE("files of different runs are refused by both names") {
  const test::ScratchFolder folder;
  write_run(folder / "a.moe.db", "run-one");
  write_run(folder / "b.moe.db", "run-two");
  const std::string message = error_of({folder.path()});
  CHECK(message.starts_with(folder / "b.moe.db"));
  CHECK(message.find("run-one") != std::string::npos);
  CHECK(message.find("run-two") != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("nothing, and a path that isn't there") {
  const test::ScratchFolder folder;
  CHECK(error_of({folder / "no.json"}) ==
        folder / "no.json" + std::string(": no such file or directory; check the path"));
  CHECK(error_of({}).find("no run was named") != std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/store/run_file_export.h"

#include <filesystem>

#include "analyzer/import/importer.h"
#include "analyzer/metric/device_activity.h"
#include "analyzer/stage/attribution.h"
#include "analyzer/store/trace_reader.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
namespace fs = std::filesystem;

namespace {

const std::string kTiny = MOESCOPE_SOURCE_DIR "/samples/traces/tiny_deepep.json";

void check_same_rows(const Trace& a, const Trace& b) {
  REQUIRE(a.spans.size() == b.spans.size());
  CHECK(a.spans.start == b.spans.start);
  CHECK(a.spans.duration == b.spans.duration);
  CHECK(a.spans.correlation == b.spans.correlation);
  CHECK(a.spans.bytes == b.spans.bytes);
  CHECK(a.spans.flops == b.spans.flops);
  for (std::size_t row = 0; row < a.spans.size(); ++row) {
    CHECK(a.name_of(row) == b.name_of(row));
    CHECK(a.context_of(row) == b.context_of(row));
    CHECK(a.track_of(row).name == b.track_of(row).name);
    CHECK(a.track_of(row).rank == b.track_of(row).rank);
  }
}

}  // namespace

TEST_CASE("an imported trace written as a run file reads back the same, and attributes the same") {
  const test::ScratchFolder folder;
  const Trace source = load_trace({kTiny}, "auto", {});
  const std::string path = write_run_file(source, folder / "run", "0.0.0");
  const Trace back = load_trace({folder / "run"}, "auto", {});
  check_same_rows(source, back);
  CHECK(back.files.at(0).path == path);
  CHECK(back.files.at(0).format == "kineto");
  CHECK(back.files.at(0).started_unix_ns == source.files.at(0).started_unix_ns);
  CHECK_FALSE(back.cut_short());
  CHECK(back.steps.at(0).window == source.steps.at(0).window);
  CHECK(back.devices.at(0).name == source.devices.at(0).name);
  CHECK(back.diagnostics.size() == source.diagnostics.size());
  const Attribution a = attribute(source), b = attribute(back);
  CHECK(a.stage == b.stage);
  CHECK(a.role == b.role);
  CHECK(a.part == b.part);
  CHECK(a.pass == b.pass);
  CHECK(a.activity == b.activity);
  CHECK(device_activity(back, b, {RankId(0), 0}, {}).exposed().measure() == 220'000);
}

TEST_CASE("several ranks' traces become one run, each on its own clock") {
  const test::ScratchFolder folder;
  for (int rank = 0; rank < 3; ++rank)
    test::write_file(folder / "rank" + std::to_string(rank) + ".json",
                     R"({"distributedInfo": {"rank": )" + std::to_string(rank) +
                         R"(}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": )" +
                         std::to_string(1000 * rank) + R"(, "dur": 1}]})");
  const Trace source = load_trace({folder.path()}, "auto", {});
  write_run_file(source, folder / "run", "0.0.0");
  const Trace back = load_trace({folder / "run"}, "auto", {});
  check_same_rows(source, back);
  CHECK(back.ranks.size() == 3);
  CHECK(back.clocks.size() == 3);
}

TEST_CASE("a source that ended early stays cut short") {
  const test::ScratchFolder folder;
  const std::string whole = test::contents(kTiny);
  test::write_file(folder / "cut.json", whole.substr(0, whole.size() * 3 / 4));
  ImportOptions salvage;
  salvage.salvage = true;
  const Trace source = load_trace({folder / "cut.json"}, "auto", salvage);
  REQUIRE(source.cut_short());
  write_run_file(source, folder / "run", "0.0.0");
  const Trace back = load_trace({folder / "run"}, "auto", {});
  CHECK(back.cut_short());
  CHECK(back.files.at(0).cut_short_reason == source.files.at(0).cut_short_reason);
}

TEST_CASE("nothing is written over, and nothing half-written is left") {
  const test::ScratchFolder folder;
  const Trace source = load_trace({kTiny}, "auto", {});
  write_run_file(source, folder / "run", "0.0.0");
  CHECK_THROWS_WITH(write_run_file(source, folder / "run", "0.0.0"), Catch::Contains("already holds a run"));
  CHECK(std::distance(fs::directory_iterator(folder / "run"), fs::directory_iterator{}) == 1);
  test::write_file(folder / "file", "in the way");
  CHECK_THROWS_AS(write_run_file(source, folder / "file", "0.0.0"), TraceError);
  CHECK_THROWS_AS(write_run_file(source, folder / "file/below", "0.0.0"), TraceError);
  CHECK(test::contents(folder / "file") == "in the way");
}

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

TEST_CASE("collectives follow their spans through the sort and the file, and samples keep their units' names") {
  TraceBuilder builder;
  const ClockId clock = builder.clock({ClockKind::kMONOTONIC, "monotonic", "boot"});
  Track stream;
  stream.rank = RankId(3);
  stream.device = 0;
  stream.kind = TrackKind::kGPU_STREAM;
  stream.clock = clock;
  const TrackId late = builder.track(stream), early = builder.track(stream);
  Context kernel;
  kernel.kind = SpanKind::kKERNEL;
  builder.trace().comm_groups.push_back({GroupKind::kUNKNOWN, "default_pg", {3, 1}});
  // Given in the opposite order of the rows: tracks descending, times descending.
  for (int i = 0; i < 6; ++i) {
    builder.span(1000 - 10 * i, 5, i % 2 == 0 ? early : late, builder.name("k" + std::to_string(i)),
                 builder.context(kernel));
    if (i == 1 || i == 4) {
      Collective one;
      one.span = static_cast<std::int64_t>(builder.trace().spans.size()) - 1;
      one.rank = RankId(3);
      one.comm_group = 0;
      one.sequence = i;
      one.op = builder.name("all_to_allv");
      one.bytes_in = 100 * i;
      one.in_splits = {1, 0, i};
      one.algorithm = "ring";
      builder.collective(one);
    }
  }
  Collective unseen;
  unseen.op = builder.name("broadcast");
  builder.collective(unseen);
  builder.trace().device_samples.push_back({{RankId(3), 0}, 990, builder.name("power_mw"), 412.5});
  const Trace source = builder.finish();
  const test::ScratchFolder folder;
  write_run_file(source, folder / "run", "0.0.0");
  const Trace back = load_trace({folder / "run"}, "auto", {});
  for (const Trace* trace : {&source, &back}) {
    REQUIRE(trace->collectives.size() == 3);
    const auto op = [&](std::size_t i) {
      return trace->names[static_cast<std::size_t>(trace->collectives[i].op.value)];
    };
    // Track `late` has the lower id, so its k5, k3, k1 are rows 0 to 2; then k4, k2, k0.
    const Collective &first = trace->collectives[0], &second = trace->collectives[1];
    CHECK(trace->name_of(static_cast<std::size_t>(first.span)) == "k1");
    CHECK(first.sequence == 1);
    CHECK(trace->name_of(static_cast<std::size_t>(second.span)) == "k4");
    CHECK(second.sequence == 4);
    CHECK(second.bytes_in == 400);
    CHECK(second.bytes_out == -1);
    CHECK(second.in_splits == std::vector<std::int64_t>{1, 0, 4});
    CHECK(second.out_splits.empty());
    CHECK(second.algorithm == "ring");
    CHECK(trace->comm_groups[static_cast<std::size_t>(second.comm_group)].ranks == std::vector<std::int32_t>{3, 1});
    CHECK(trace->collectives[2].span == -1);
    CHECK(op(0) == "all_to_allv");
    CHECK(op(2) == "broadcast");
    REQUIRE(trace->device_samples.size() == 1);
    CHECK(trace->device_samples[0].time == 990);
    CHECK(trace->device_samples[0].value == 412.5);
    CHECK(trace->names[static_cast<std::size_t>(trace->device_samples[0].quantity.value)] == "power_mw");
  }
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

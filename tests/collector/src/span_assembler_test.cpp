// SPDX-License-Identifier: Apache-2.0
// The assembler alone, fed with records made here, and read back through SQLite.
#include "collector/src/span_assembler.h"

#include <cstring>
#include <map>
#include <random>

#include "collector/src/nvtx_names.h"
#include "tests/collector/trace/sqlite_query.h"

using namespace moescope::collector;
using namespace moescope::test;
namespace trace = moescope::trace;

namespace {

struct Fixture {
  ScratchFolder dir;
  std::string path = dir / "a.moe.db", error;
  std::unique_ptr<trace::TraceWriter> writer = trace::TraceWriter::create(path, {}, {}, {}, &error);
  LaneBook lanes{*writer, 0};
  SpanAssembler spans{*writer, lanes, 4};

  template <class Record>
  void give(std::uint32_t serial, Record record, RecordType type, std::int64_t time, std::uint32_t depth,
            const std::string& text = {}) {
    std::vector<std::uint64_t> bytes((sizeof record + text.size() + 7) / 8);
    record.head = {static_cast<std::uint16_t>(sizeof record + text.size()), type, kHasText, depth, time};
    std::memcpy(bytes.data(), &record, sizeof record);
    std::memcpy(reinterpret_cast<char*>(bytes.data()) + sizeof record, text.data(), text.size());
    CHECK(spans.take(serial, 1000 + serial, reinterpret_cast<const unsigned char*>(bytes.data())) ==
          sizeof record + text.size());
  }
  void begin(std::uint32_t serial, std::int64_t time, std::uint32_t depth, const std::string& name) {
    BeginRecord record{};
    record.stage = MOESCOPE_STAGE_L1;
    record.wave = -1;
    record.name_bytes = static_cast<std::uint32_t>(name.size());
    give(serial, record, RecordType::kBegin, time, depth, name);
  }
  void end(std::uint32_t serial, std::int64_t time, std::uint32_t depth) {
    EndRecord record{};
    record.bytes = -1;
    record.flops = -1;
    give(serial, record, RecordType::kEnd, time, depth);
  }
  void nvtx(std::uint32_t serial, RecordType type, std::int64_t time, std::uint64_t range, const std::string& name = {},
            const NvtxDomain* domain = nullptr, std::uint32_t depth = 0) {
    NvtxRecord record{};
    record.domain = domain;
    record.range = range;
    record.name_bytes = static_cast<std::uint32_t>(name.size());
    give(serial, record, type, time, depth, name);
  }
  std::vector<Row> finish_and(const std::string& sql) {
    REQUIRE(writer->finish(1, "exit"));
    return query(path, sql);
  }
};

}  // namespace

// Begins are lost where the rings are full, ends (written even then) only where there is no memory at all.
TEST_CASE("Random nesting on random threads, with random losses, pairs exactly what both its ends were recorded of") {
  const bool begins_are_lost = GENERATE(true, false);
  std::mt19937 random(21);
  for (int trial = 0; trial < 10; ++trial) {
    Fixture f;
    struct Range {
      std::int64_t number;
      bool recorded;
    };
    std::map<std::uint32_t, std::vector<Range>> open;
    std::map<std::string, std::int64_t> expected;  // name -> duration
    std::int64_t time = 1, number = 0;
    std::uint64_t lost = 0;
    for (int i = 0; i < 3000; ++i, time += 1 + static_cast<std::int64_t>(random() % 9)) {
      const auto thread = static_cast<std::uint32_t>(random() % 3);
      auto& stack = open[thread];
      const bool begins = stack.empty() || random() % 2 == 0;
      const bool dropped = random() % 10 == 0 && begins == begins_are_lost;
      if (begins) {
        if (!dropped) f.begin(thread, time, static_cast<std::uint32_t>(stack.size()), std::to_string(time));
        stack.push_back({time, !dropped});
        ++number;
      } else {
        const Range range = stack.back();
        stack.pop_back();
        if (!dropped) f.end(thread, time, static_cast<std::uint32_t>(stack.size()));
        if (!dropped && range.recorded) expected[std::to_string(range.number)] = time - range.number;
        lost += dropped && range.recorded;
      }
    }
    // End what is open, so that every lost end is noticed.
    for (auto& [thread, stack] : open) {
      while (!stack.empty()) {
        const Range range = stack.back();
        stack.pop_back();
        f.end(thread, time, static_cast<std::uint32_t>(stack.size()));
        if (range.recorded) expected[std::to_string(range.number)] = time - range.number;
      }
      f.begin(thread, time, 0, "last");
      f.end(thread, time, 0);
    }
    const auto rows =
        f.finish_and("SELECT text, dur FROM span JOIN name ON name.id = span.name WHERE text <> 'last' ORDER BY text");
    std::map<std::string, std::int64_t> got;
    for (const Row& row : rows) got[row[0]] = std::stoll(row[1]);
    CHECK(rows.size() == expected.size());
    CHECK((got == expected));
    CHECK(f.spans.lost_pairs() == lost);
  }
}

TEST_CASE("Start/end ranges meet across threads, in either order") {
  Fixture f;
  f.nvtx(0, RecordType::kNvtxStart, 10, 1, "first");
  f.nvtx(1, RecordType::kNvtxFinish, 15, 1);
  f.nvtx(1, RecordType::kNvtxFinish, 40, 2);  // its ring was read before that of the start
  f.nvtx(0, RecordType::kNvtxStart, 20, 2, "second");
  f.nvtx(0, RecordType::kNvtxFinish, 50, 3);  // its start was dropped
  f.nvtx(0, RecordType::kNvtxStart, 60, 4, "open");
  f.spans.everything_ends(100);
  CHECK(f.spans.lost_pairs() == 1);
  CHECK(f.finish_and("SELECT text, start_rel, dur, flags, os_tid FROM span JOIN name ON name.id = span.name "
                     "JOIN context ON context.id = span.context JOIN track ON track.id = track ORDER BY start_rel") ==
        std::vector<Row>{
            {"first", "10", "5", "0", "1000"}, {"second", "20", "20", "0", "1000"}, {"open", "60", "40", "1", "1000"}});
}

TEST_CASE("What a thread leaves open ends with its last sign of life, and says so") {
  Fixture f;
  f.begin(7, 10, 0, "outer");
  f.begin(7, 20, 1, "inner");
  f.begin(8, 30, 0, "other");
  f.spans.thread_gone(7);
  f.spans.everything_ends(90);
  CHECK(f.finish_and("SELECT text, dur, flags FROM span JOIN name ON name.id = span.name "
                     "JOIN context ON context.id = span.context ORDER BY text") ==
        std::vector<Row>{{"inner", "0", "1"}, {"other", "60", "1"}, {"outer", "10", "1"}});
}

TEST_CASE("Domains nest for themselves, and name their ranges") {
  Fixture f;
  const NvtxDomain* domain = nvtx_domain("NCCL");
  f.nvtx(0, RecordType::kNvtxPush, 1, 0, "a");
  f.nvtx(0, RecordType::kNvtxPush, 2, 0, "b", domain);
  f.nvtx(0, RecordType::kNvtxPop, 3, 0);
  f.nvtx(0, RecordType::kNvtxPop, 4, 0, {}, domain);
  f.nvtx(0, RecordType::kNvtxMark, 5, 0, "mark", domain);
  CHECK(f.finish_and("SELECT text, domain, start_rel, dur, kind, source FROM span JOIN name ON name.id = span.name "
                     "JOIN context ON context.id = span.context ORDER BY text") ==
        std::vector<Row>{
            {"a", "", "1", "2", "0", "1"}, {"b", "NCCL", "2", "2", "0", "1"}, {"mark", "NCCL", "5", "0", "0", "1"}});
}

TEST_CASE("A step reaches from its first begin to its last end") {
  Fixture f;
  StepRecord record{};
  record.rank = 2;
  record.step = 0;
  record.number = 33;
  record.kind = MOESCOPE_STEP_DECODE;
  f.give(0, record, RecordType::kStepBegin, 100, 0);
  f.give(0, record, RecordType::kStepEnd, 150, 0);
  f.give(1, record, RecordType::kStepBegin, 90, 0);  // began earlier, was read later
  f.give(1, record, RecordType::kStepEnd, 170, 0);
  record.step = 1;
  f.give(0, record, RecordType::kStepBegin, 180, 0);
  CHECK(f.finish_and("SELECT rank, step, number, kind, start_rel, dur FROM step ORDER BY step") ==
        std::vector<Row>{{"2", "0", "33", "3", "90", "80"}, {"2", "1", "33", "3", "180", "-1"}});
}

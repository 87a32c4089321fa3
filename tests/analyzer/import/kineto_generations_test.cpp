// SPDX-License-Identifier: Apache-2.0
// One timeline in the spellings that Kineto files have had over the years: every one must give the same spans.
#include <algorithm>
#include <random>

#include "tests/analyzer/import/gzip_text.h"
#include "tests/analyzer/import/kineto_text.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

struct Work {  // nanoseconds; device -1: a call on the host
  Ns start, duration;
  int device, lane;
  std::string name;
  std::int64_t correlation;
};

std::vector<Work> random_timeline(std::mt19937& random, bool whole_microseconds) {
  std::vector<Work> timeline;
  const Ns unit = whole_microseconds ? 1000 : 1;
  Ns at = 1'740'461'679'000'000'000;
  for (unsigned long i = 0, n = 1 + random() % 40; i < n; ++i) {
    at += static_cast<Ns>(random() % 40) * 37 * unit;
    const bool host = random() % 3 == 0;
    timeline.push_back({at / unit * unit, random() % 4 ? static_cast<Ns>(random() % 5000) * unit : 0,
                        host ? -1 : static_cast<int>(random() % 2), static_cast<int>(7 + random() % 3),
                        (host ? "cudaLaunchKernel_" : "kernel<1>_") + std::to_string(i),
                        static_cast<std::int64_t>(i + 1)});
  }
  return timeline;
}

enum class Style { kEpochMicroseconds, kBase, kText, kOldNames };

std::string decimal(Ns ns, Style style) {
  std::string fraction = std::to_string(ns % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  const std::string text = std::to_string(ns / 1000) + (ns % 1000 == 0 ? "" : "." + fraction);
  return style == Style::kText ? "\"" + text + "\"" : text;
}

constexpr Ns kBase = 1'740'461'000'000'000'000;

std::string event_text(const Work& work, Style style, std::mt19937& random) {
  const bool old = style == Style::kOldNames, host = work.device < 0;
  const auto number = [style](std::int64_t value) {
    return style == Style::kText ? "\"" + std::to_string(value) + "\"" : std::to_string(value);
  };
  std::vector<std::string> args = {"\"correlation\": " + number(work.correlation),
                                   "\"External id\": 18446744073709551615",
                                   "\"unknown\": {\"a\": [{\"b\": 1}, {\"c\": \"},{\"}]}"};
  if (!host) args.push_back("\"device\": " + number(work.device));
  if (!host && !old) args.push_back("\"stream\": " + number(work.lane));
  std::shuffle(args.begin(), args.end(), random);
  std::string all_args;
  for (const std::string& arg : args) all_args += (all_args.empty() ? "" : ",\n ") + arg;
  std::vector<std::string> keys = {"\"ph\": \"X\"",
                                   std::string("\"cat\": \"") +
                                       (host  ? old ? "Runtime" : "cuda_runtime"
                                        : old ? "Kernel"
                                              : "kernel") +
                                       "\"",
                                   "\"name\": \"" + work.name + "\"",
                                   "\"pid\": " + number(host ? 4242 : work.device),
                                   "\"tid\": " + number(host ? 100 : work.lane),
                                   "\"ts\": " + decimal(style == Style::kBase ? work.start - kBase : work.start, style),
                                   "\"dur\": " + decimal(work.duration, style),
                                   "\"args\": {" + all_args + "}",
                                   "\"some_key\": 123456789012345678901234567890"};
  std::shuffle(keys.begin(), keys.end(), random);
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "{" : random() % 2 ? ", " : ",\n  ") + key;
  return text + "}";
}

std::string file_text(std::vector<Work> timeline, Style style, std::mt19937& random) {
  std::shuffle(timeline.begin(), timeline.end(), random);
  std::string events;
  for (const Work& work : timeline)
    events += (events.empty() ? "" : random() % 2 ? "," : " ,\n") + event_text(work, style, random);
  const std::string base = style == Style::kBase ? "\"baseTimeNanoseconds\": " + std::to_string(kBase) : "\"x\": null";
  switch (random() % 4) {
    case 0:
      return "\xef\xbb\xbf{\"schemaVersion\": 1, " + base + ", \"traceEvents\": [" + events + "]}";
    case 1:
      return "{\"traceEvents\": [" + events + "],\n" + base + ", \"deviceProperties\": [{\"id\": 0}, {\"id\": 1}]}\n";
    case 2:
      return "{\"metadata\": {\"traceEvents\": [{\"ph\": \"X\"}, {}]}, " + base + ", \"traceEvents\": [" + events +
             "]}";
    default:
      return style == Style::kBase ? "{\"traceEvents\": [" + events + "], " + base + "}" : "[" + events + "]";
  }
}

using Row = std::tuple<Ns, Ns, int, std::int64_t, std::string, std::int64_t>;

std::vector<Row> expected_rows(const std::vector<Work>& timeline) {
  std::vector<Row> rows;
  for (const Work& work : timeline)
    rows.emplace_back(work.start, work.duration, work.device, work.device < 0 ? -1 : work.lane, work.name,
                      work.correlation);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Row> rows_of(const Trace& trace) {
  std::vector<Row> rows;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    const Track& track = trace.track_of(row);
    rows.emplace_back(trace.spans.start[row], trace.spans.duration[row], track.device, track.stream,
                      std::string(trace.name_of(row)), trace.spans.correlation[row]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

TEST_CASE("one timeline in every spelling gives the same spans") {
  std::mt19937 random(2026);
  const test::ScratchFolder folder;
  for (int round = 0; round < 300; ++round) {
    for (const Style style : {Style::kEpochMicroseconds, Style::kBase, Style::kText, Style::kOldNames}) {
      const auto timeline = random_timeline(random, style == Style::kOldNames);
      const std::string text = file_text(timeline, style, random);
      const std::size_t cut = random() % text.size();
      test::write_file(folder / "t",
                       random() % 2 ? text : test::gzipped(text.substr(0, cut)) + test::gzipped(text.substr(cut)));
      INFO("round " << round << ", style " << static_cast<int>(style) << ": " << text);
      const Trace trace = load_trace({folder / "t"}, "kineto", {});
      REQUIRE(rows_of(trace) == expected_rows(timeline));
    }
  }
}

TEST_CASE("numbers no field can hold are left out, not wrapped around") {
  const Trace trace = test::load_kineto(test::kineto_text(
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 99999999999999999999, "tid": 7, "ts": 1, "dur": 1,
          "args": {"device": 4294967296, "stream": 18446744073709551616, "correlation": 18446744073709551615}},)"
      R"({"ph": "X", "cat": "kernel", "name": "l", "pid": 0, "tid": 7, "ts": 1, "dur": 1,
          "args": {"correlation": -1, "bytes": -3}},)"
      R"({"ph": "X", "cat": "kernel", "name": "late", "pid": 0, "tid": 7, "ts": 99999999999999999999, "dur": 1},)"
      R"({"ph": "X", "cat": "kernel", "name": "long", "pid": 0, "tid": 7, "ts": 1, "dur": 1e30})",
      R"("distributedInfo": {"rank": 99999999999, "world_size": -5}, )"));
  REQUIRE(trace.spans.size() == 2);
  for (std::size_t row = 0; row < 2; ++row) {
    CHECK(trace.spans.correlation[row] == 0);
    CHECK(trace.spans.bytes[row] == -1);
    CHECK(trace.track_of(row).device == 0);
  }
  CHECK(trace.ranks.at(0).rank == RankId(0));
  CHECK(trace.ranks.at(0).world_size == -1);
  CHECK(test::diagnostic_of(trace, "rank_assumed"));
  REQUIRE(test::diagnostic_of(trace, "event_without_time"));
  CHECK(test::diagnostic_of(trace, "event_without_time")->count == 2);
}

// SPDX-License-Identifier: Apache-2.0
// The Kineto importer on texts written here. Expected figures are worked out by hand in the comments.
#include <map>

#include "analyzer/import/importer.h"
#include "analyzer/metric/device_activity.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/gzip_text.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

Trace load_text(const std::string& text, bool salvage = false) {
  const test::ScratchFolder folder;
  test::write_file(folder / "trace.json", text);
  ImportOptions options;
  options.salvage = salvage;
  return load_trace({folder / "trace.json"}, "auto", options);
}

std::string error_of(const std::string& text, bool salvage = false) {
  try {
    load_text(text, salvage);
  } catch (const TraceError& error) {
    const std::string what = error.what();
    return what.substr(what.find("trace.json"));
  }
  return {};
}

std::string kernel(const std::string& name, const std::string& ts, const std::string& dur, int stream = 7,
                   const std::string& more = "") {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": )" + std::to_string(stream) +
         R"(, "ts": )" + ts + R"(, "dur": )" + dur + R"(, "args": {"device": 0, "stream": )" + std::to_string(stream) +
         more + "}}";
}

std::string trace_of(const std::string& events, const std::string& before = "", const std::string& after = "") {
  return "{" + before + "\"traceEvents\": [" + events + "]" + after + "}";
}

std::size_t row_of(const Trace& trace, std::string_view part) {
  for (std::size_t row = 0; row < trace.spans.size(); ++row)
    if (trace.name_of(row).find(part) != std::string_view::npos) return row;
  FAIL("no span named " << part);
  return 0;
}

bool has_diagnostic(const Trace& trace, const std::string& code) {
  for (const Diagnostic& diagnostic : trace.diagnostics)
    if (diagnostic.code == code) return true;
  return false;
}

}  // namespace

TEST_CASE("the tiny DeepEP trace gives the figures worked out by hand") {
  // compute, us:  l1 [1200,1260) act [1260,1270) l2 [1270,1320), attention [1350,1370), dense [1450,1470): 160
  // communication: layout [1100,1110) notify [1110,1130) dispatch [1130,1230): 130; cached_notify [1300,1330) combine
  //   [1330,1380): 80; cached_notify [1400,1405) dispatch [1405,1455): 55; combine [1460,1500): 40; together 305
  // exposed: [1100,1200) 100; [1320,1350) + [1370,1380) 40; [1400,1450) 50; [1470,1500) 30; together 220
  // control: 10 + 20 + 30 + 5 = 65.  copies: [1375,1385) 10.  busy: [1100,1385) + [1400,1500) = 385 of 400
  const Trace trace = load_trace({MOESCOPE_SOURCE_DIR "/samples/traces/tiny_deepep.json"}, "auto", {});
  const Attribution attribution = attribute(trace);
  const DeviceActivity activity = device_activity(trace, attribution, {RankId(0), 0}, {});
  CHECK(activity.compute.measure() == 160'000);
  CHECK(activity.communication.measure() == 305'000);
  CHECK(activity.exposed().measure() == 220'000);
  CHECK(activity.control.measure() == 65'000);
  CHECK(activity.copies.measure() == 10'000);
  CHECK(activity.busy.measure() == 385'000);
  CHECK(activity.busy.hull() == Interval{1'100'000, 1'500'000});

  std::map<std::string, std::vector<Interval>> by_annotation;
  for (std::size_t row = 0; row < trace.spans.size(); ++row)
    if (attribution.activity[row] == ActivityClass::kCommunication)
      by_annotation[trace.names[static_cast<std::size_t>(attribution.annotation[row])]].push_back(
          trace.spans.interval(row));
  const auto exposed = [&](const char* name) {
    return IntervalSet::from(by_annotation.at(name)).subtract(activity.compute).measure();
  };
  CHECK(by_annotation.size() == 4);
  CHECK(exposed("dispatch(F)") == 100'000);
  CHECK(exposed("combine(F)") == 40'000);
  CHECK(exposed("combine(B)") == 50'000);
  CHECK(exposed("dispatch(B)") == 30'000);

  // The two grouped GEMMs share a name; the activation tells them apart.
  std::vector<Stage> gemms;
  for (std::size_t row = 0; row < trace.spans.size(); ++row)
    if (trace.name_of(row).find("m_grouped") != std::string_view::npos) gemms.push_back(attribution.stage[row]);
  CHECK(gemms == std::vector<Stage>{Stage::kL1, Stage::kL2});
  CHECK(attribution.stage[row_of(trace, "swiglu")] == Stage::kACT);
  CHECK(attribution.stage[row_of(trace, "flash_fwd")] == Stage::kATTENTION);
  CHECK(attribution.stage[row_of(trace, "::fp8_ptp128c")] == Stage::kOTHER);  // dense, though in a grouped namespace

  REQUIRE(trace.steps.size() == 1);
  CHECK(trace.steps[0].number == 5);
  CHECK(trace.steps[0].window == Interval{1'000'000, 1'400'000});
  for (std::size_t row = 0; row < trace.spans.size(); ++row)  // launched in it, though some ran later
    CHECK(trace.context_of(row).step == StepId(0));
  CHECK(trace.ranks.at(0).world_size == 8);
  CHECK(trace.devices.at(0).name == "Example GPU");
  CHECK(trace.devices.at(0).sm_count == 132);
  CHECK(trace.spans.bytes[row_of(trace, "Memcpy HtoD")] == 4096);
  CHECK(trace.context_of(row_of(trace, "Memcpy HtoD")).copy_kind == CopyKind::kH2D);
}

TEST_CASE("gzip or plain, object or bare array: the same trace") {
  const test::ScratchFolder folder;
  const std::string events = kernel("a", "10", "5") + ", " + kernel("b", "20.5", "0.25");
  test::write_file(folder / "a.json", trace_of(events));
  test::write_file(folder / "b.json.gz", test::gzipped(trace_of(events)));
  test::write_file(folder / "c.json", "[" + events + "]");
  test::write_file(folder / "no_extension", trace_of(events));
  for (const char* name : {"a.json", "b.json.gz", "c.json", "no_extension"}) {
    const Trace trace = load_trace({folder / name}, "auto", {});
    REQUIRE(trace.spans.size() == 2);
    CHECK(trace.spans.start == std::vector<Ns>{10'000, 20'500});
    CHECK(trace.spans.duration == std::vector<Ns>{5'000, 250});
    CHECK(trace.files.at(0).format == "kineto");
  }
}

TEST_CASE("times: integers, fractions, strings, and a base that comes late") {
  const Trace trace =
      load_text(trace_of(kernel("a", "1740461679471346.123", "\"1.5\"") + "," + kernel("b", "\"7\"", "0"), "",
                         ", \"baseTimeNanoseconds\": 1000000000"));
  CHECK(trace.spans.start == std::vector<Ns>{1'000'007'000, 1'740'461'680'471'346'123});
  CHECK(trace.spans.duration == std::vector<Ns>{0, 1'500});
  CHECK(trace.clocks.at(0).kind == ClockKind::kREALTIME);
}

TEST_CASE("rank and world from distributedInfo, wherever it stands; else the file order, said so") {
  const std::string events = kernel("a", "1", "1"), info = "\"distributedInfo\": {\"rank\": 3, \"world_size\": 8}";
  for (const std::string& text : {trace_of(events, info + ", "), trace_of(events, "", ", " + info)}) {
    const Trace trace = load_text(text);
    REQUIRE(trace.ranks.size() == 1);
    CHECK(trace.ranks[0].rank == RankId(3));
    CHECK(trace.ranks[0].world_size == 8);
    CHECK(trace.tracks.at(0).rank == RankId(3));
    CHECK_FALSE(has_diagnostic(trace, "rank_assumed"));
  }
  const test::ScratchFolder folder;
  for (const char* name : {"x.json", "y.json"}) test::write_file(folder / name, trace_of(events));
  const Trace trace = load_trace({folder / "x.json", folder / "y.json"}, "auto", {});
  REQUIRE(trace.ranks.size() == 2);
  CHECK(trace.ranks[1].rank == RankId(1));
  CHECK(has_diagnostic(trace, "rank_assumed"));
  CHECK(trace.tracks.at(0).clock != trace.tracks.at(1).clock);  // two hosts' wall clocks, for all we know

  test::write_file(folder / "x.json", trace_of(events, info + ", "));
  test::write_file(folder / "y.json", trace_of(events, info + ", "));
  CHECK_THROWS_WITH(load_trace({folder / "x.json", folder / "y.json"}, "auto", {}),
                    Catch::Contains("rank 3 was already read from " + (folder / "x.json") + "; name one trace"));
}

TEST_CASE("begin and end events pair up by thread; what stays open is closed and flagged") {
  const auto mark = [](const char* phase, const char* name, int tid, int ts) {
    return std::string(R"({"ph": ")") + phase + R"(", "name": ")" + name + R"(", "pid": 1, "tid": )" +
           std::to_string(tid) + R"(, "ts": )" + std::to_string(ts) + "}";
  };
  const Trace trace =
      load_text(trace_of(mark("B", "outer", 1, 0) + "," + mark("B", "inner", 1, 10) + "," + mark("B", "other", 2, 12) +
                         "," + mark("E", "", 1, 20) + "," + mark("E", "", 1, 30) + "," + mark("E", "", 3, 31) + "," +
                         mark("B", "open", 1, 40) + "," + mark("E", "", 2, 50)));
  REQUIRE(trace.spans.size() == 4);
  const auto interval = [&](const char* name) { return trace.spans.interval(row_of(trace, name)); };
  CHECK(interval("outer") == Interval{0, 30'000});
  CHECK(interval("inner") == Interval{10'000, 20'000});
  CHECK(interval("other") == Interval{12'000, 50'000});
  CHECK(interval("open") == Interval{40'000, 50'000});
  CHECK(trace.context_of(row_of(trace, "open")).flags == kContextUnterminated);
  CHECK(has_diagnostic(trace, "unmatched_end"));
}

TEST_CASE("categories: what is work, what is a range, what is left out and counted") {
  const auto event = [](const char* category, const char* name, const char* args) {
    return std::string(R"({"args": {)") + args + R"(}, "cat": ")" + category + R"(", "name": ")" + name +
           R"(", "ts": 1, "dur": 1, "tid": 5, "pid": 2, "ph": "X"})";  // args before cat, as some writers sort keys
  };
  const Trace trace = load_text(trace_of(
      event("Kernel", "k", R"("device": 2, "stream": 9, "correlation": 4)") + "," +
      event("gpu_memcpy", "Memcpy PtoP (x)", "") + "," + event("Memset", "Memset (Device)", "") + "," +
      event("Runtime", "cudaLaunchKernel", R"("correlation": 4)") + "," +
      event("cuda_driver", "cuLaunchKernel", R"("correlation": "12")") + "," + event("Operator", "aten::add", "") +
      "," + event("user_annotation", "mine", "") + "," + event("gpu_user_annotation", "mine", "") + "," +
      event("cuda_sync", "Stream Sync", "") + "," + event("something_new", "range", "")));
  REQUIRE(trace.spans.size() == 8);
  const auto kind = [&](const char* name) { return trace.context_of(row_of(trace, name)).kind; };
  CHECK(kind("k") == SpanKind::kKERNEL);
  CHECK(trace.track_of(row_of(trace, "k")).stream == 9);
  CHECK(trace.track_of(row_of(trace, "k")).device == 2);
  CHECK(trace.spans.correlation[row_of(trace, "k")] == 4);
  CHECK(kind("Memcpy") == SpanKind::kCOPY);
  CHECK(trace.context_of(row_of(trace, "Memcpy")).copy_kind == CopyKind::kP2P);
  CHECK(trace.track_of(row_of(trace, "Memcpy")).stream == 5);  // its tid
  CHECK(kind("Memset") == SpanKind::kMEMSET);
  CHECK(kind("cudaLaunchKernel") == SpanKind::kRUNTIME);
  CHECK(trace.spans.correlation[row_of(trace, "cuLaunchKernel")] == 12);
  CHECK(trace.context_of(row_of(trace, "aten::add")).flags == kContextOperator);
  CHECK(trace.context_of(row_of(trace, "mine")).flags == 0);
  CHECK(kind("range") == SpanKind::kRANGE);
  std::map<std::string, std::int64_t> left_out;
  for (const Diagnostic& diagnostic : trace.diagnostics)
    if (diagnostic.code == "category_left_out") left_out[diagnostic.detail] = diagnostic.count;
  CHECK(left_out.size() == 2);
  const Attribution attribution = attribute(trace);
  CHECK(attribution.activity[row_of(trace, "Memcpy")] == ActivityClass::kCommunication);
  CHECK(attribution.activity[row_of(trace, "Memset")] == ActivityClass::kCopy);
  CHECK(attribution.activity[row_of(trace, "cudaLaunchKernel")] == ActivityClass::kNone);
}

TEST_CASE("collective arguments name the operation and its bytes") {
  const std::string args =
      R"(, "Collective name": "all_to_allv", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 4,
    "dtype": "BFloat16", "In split size": "[]", "Process Group Ranks": "[0, 1, 2, 3]")";
  const Trace trace = load_text(trace_of(kernel("ncclDevKernel_SendRecv(x)", "1", "1", 7, args) + "," +
                                         kernel("a_kernel_nobody_knows", "5", "1", 7, args)));
  const Attribution attribution = attribute(trace);
  for (std::size_t row = 0; row < 2; ++row) {
    CHECK(attribution.stage[row] == Stage::kALLTOALL);
    CHECK(attribution.activity[row] == ActivityClass::kCommunication);
    CHECK(trace.spans.bytes[row] == 1536);  // 3/4 of 2,048
  }
}

TEST_CASE("control characters, bad UTF-8, odd and missing fields are survived") {
  const Trace trace =
      load_text(trace_of(kernel("line\nbreak \xff", "1", "1") + R"(, {"ph": "X"}, 5, null, "text", [1], {},)" +
                         R"({"ph": "X", "cat": "kernel", "name": "no time", "ts": "soon", "dur": 1},)" +
                         R"({"ph": "X", "cat": "kernel", "name": "negative", "ts": 1, "dur": -1},)" +
                         R"({"ph": "X", "cat": "kernel", "name": {"x": 1}, "ts": 9, "dur": 1, "args": 7},)" +
                         kernel("no duration", "30", "null")));
  CHECK(trace.name_of(0) == "line break ?");
  CHECK(has_diagnostic(trace, "text_mended"));
  CHECK(has_diagnostic(trace, "event_without_time"));
  CHECK(trace.spans.size() == 3);
}

TEST_CASE("events out of order, overlapping, of no length, with the same correlation") {
  const auto launch = [](int ts, int correlation) {
    return R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": )" +
           std::to_string(ts) + R"(, "dur": 1, "args": {"correlation": )" + std::to_string(correlation) + "}}";
  };
  const auto range = [](const char* name, int ts, int dur) {
    return std::string(R"({"ph": "X", "cat": "user_annotation", "name": ")") + name +
           R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(ts) + R"(, "dur": )" + std::to_string(dur) + "}";
  };
  // Correlation 1 is launched at 10, in "early", and again at 110, in "late".
  const Trace trace = load_text(
      trace_of(kernel("second", "120", "5", 7, ", \"correlation\": 1") + "," + kernel("none", "125", "0") + "," +
               kernel("first", "20", "5.5", 7, ", \"correlation\": 1") + "," + kernel("over", "25.499", "3") + "," +
               launch(110, 1) + "," + range("late", 105, 20) + "," + launch(10, 1) + "," + range("early", 5, 20)));
  const Attribution attribution = attribute(trace);
  const auto annotation = [&](const char* name) {
    const auto id = attribution.annotation[row_of(trace, name)];
    return id < 0 ? std::string() : trace.names[static_cast<std::size_t>(id)];
  };
  CHECK(annotation("first") == "early");
  CHECK(annotation("second") == "late");
  CHECK(annotation("none").empty());
  const DeviceActivity activity = device_activity(trace, attribution, {RankId(0), 0}, {});
  CHECK(activity.compute.measure() == 8'499 + 5'000);
}

TEST_CASE("no event at all, no trace, cut off: one line that names file, place and mend") {
  CHECK(error_of(trace_of("")) == "trace.json: no event in it; record it again");
  CHECK(error_of("[]").starts_with("trace.json: no event in it"));
  CHECK(error_of(trace_of(R"({"ph": "M", "name": "process_name"})")).starts_with("trace.json: no event in it"));
  CHECK(error_of("{\"model\": 1}").starts_with("trace.json: JSON without traceEvents"));
  CHECK(error_of("").starts_with("trace.json: the file is empty"));
  CHECK(error_of("plain words").starts_with("trace.json: a format this version does not know"));
  CHECK(error_of("{\"traceEvents\": [{\"a\": }]}").find("not JSON") != std::string::npos);
  const std::string whole = trace_of(kernel("a", "1", "1") + "," + kernel("b", "5", "1"));
  const std::string cut = whole.substr(0, whole.size() - 12);
  CHECK(error_of(cut).starts_with("trace.json: byte " + std::to_string(cut.size()) + ": the JSON breaks off here"));
  const Trace trace = load_text(cut, true);
  CHECK(trace.spans.size() == 1);
  CHECK(trace.cut_short());
  CHECK(trace.files.at(0).cut_short_reason.find("breaks off at byte") != std::string::npos);
  CHECK(error_of("{\"traceEvents\": [{\"a\"", true).starts_with("trace.json: no event in it"));
}

TEST_CASE("progress is told in bytes of the file") {
  const test::ScratchFolder folder;
  std::string events = kernel("a", "0", "1");
  for (int i = 1; i < 20'000; ++i) events += "," + kernel("kernel_" + std::to_string(i), std::to_string(i * 10), "5");
  const std::string text = trace_of(events);
  test::write_file(folder / "t.json", text);
  std::vector<std::uint64_t> seen;
  ImportOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    CHECK(total == text.size());
    seen.push_back(done);
  };
  CHECK(load_trace({folder / "t.json"}, "auto", options).spans.size() == 20'000);
  CHECK(seen.size() > 1);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(seen.back() <= text.size());
}

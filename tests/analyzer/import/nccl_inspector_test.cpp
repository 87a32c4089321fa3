// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nccl_inspector.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/metric/metrics.h"
#include "analyzer/model/trace_error.h"
#include "analyzer/stage/attribution.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

std::string head(const std::string& id, const std::string& name, int rank, int ranks, int pid = 7) {
  return fmt::format(
      R"({{"header":{{"id":"{}","comm_name":"{}","rank":{},"n_ranks":{},"nnodes":1}},"metadata":)"
      R"({{"inspector_output_format_version":"v4.1","git_rev":"","rec_mechanism":"nccl_profiler_interface",)"
      R"("dump_timestamp_us":2000000,"hostname":"node","pid":{}}},)",
      id, name, rank, ranks, pid);
}
// times: the kernels' starts and stops, a channel each
std::string v40(const std::vector<std::pair<std::int64_t, std::int64_t>>& times) {
  std::string list;
  for (std::size_t i = 0; i < times.size(); ++i)
    list += fmt::format(R"({}{{"channel_id":{},"kernel_start_ts":{},"kernel_stop_ts":{},"kernel_record_ts":{}}})",
                        i ? "," : "", i, times[i].first, times[i].second, times[i].second);
  return R"(,"event_trace_ts":{"coll_start_ts":1,"coll_stop_ts":2,"kernel_events":[)" + list + "]}";
}
std::string v41(const std::vector<std::pair<std::int64_t, std::int64_t>>& times) {
  std::string list = R"({"event_type":"ProxyOp","proxy_id":4,"proxy_start_ts":1,"proxy_stop_ts":9})";
  for (std::size_t i = 0; i < times.size(); ++i)
    list += fmt::format(R"(,{{"event_type":"KernelCh","channel_id":{},"event_trace_sn":{{"kernel_start_sn":1}},)"
                        R"("event_trace_ts":{{"kernel_start_ts":{},"kernel_stop_ts":{},"kernel_record_ts":{}}}}})",
                        i, times[i].first, times[i].second, times[i].second);
  return R"(,"event_trace_ts":{"coll_start_ts":1,"coll_stop_ts":2},"events":[)" + list + "]";
}
std::string coll(const std::string& op, int number, std::int64_t bytes, const std::string& times) {
  return fmt::format(R"("coll_perf":{{"coll":"{}","coll_sn":{},"coll_msg_size_bytes":{},"coll_exec_time_us":5,)"
                     R"("coll_timing_source":"kernel_gpu","coll_algobw_gbs":1.5,"coll_busbw_gbs":1.5{}}}}})"
                     "\n",
                     op, number, bytes, times);
}
std::string p2p(const std::string& op, int peer, std::int64_t bytes, const std::string& times) {
  return fmt::format(
      R"("p2p_perf":{{"p2p":"{}","p2p_sn":3,"p2p_peer":{},"p2p_msg_size_bytes":{},"p2p_exec_time_us":5{}}}}})"
      "\n",
      op, peer, bytes, times);
}
Trace load(const std::vector<std::string>& texts, bool salvage = false) {
  const test::ScratchFolder folder;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    paths.push_back(folder / fmt::format("node-pid{}.log", i));
    test::write_file(paths.back(), texts[i]);
  }
  ImportOptions options;
  options.salvage = salvage;
  return load_trace(paths, "auto", options);
}
std::string refusal(const std::string& text) {
  try {
    load({text});
  } catch (const TraceError& error) {
    const std::string what = error.what();
    return what.substr(what.find("node-pid0.log"));
  }
  return "accepted";
}
bool said(const Trace& trace, const std::string& code, std::int64_t count) {
  return std::any_of(trace.diagnostics.begin(), trace.diagnostics.end(),
                     [&](const Diagnostic& one) { return one.code == code && one.count == count; });
}

}  // namespace

TEST_CASE("operations are collectives and spans, in both generations of the format") {
  for (const auto& times : {v40, v41}) {
    const std::string world = head("0xab", "unknown", 1, 4),
                      experts = head("0xcd", "EXPERT_MODEL_PARALLEL_GROUP", 0, 2);
    const Trace trace = load(
        {world + coll("AllReduce", 10, 1000, times({{100, 140}, {90, 150}, {0, 0}})) + experts +
         coll("AllGather", 3, 64, times({{160, 170}})) + experts + coll("ReduceScatter", 5, 64, times({{180, 200}})) +
         world + p2p("Send", 2, 300, times({{210, 220}})) + world + p2p("Recv", 3, 500, times({{210, 230}}))});
    REQUIRE(trace.spans.size() == 5);
    REQUIRE(trace.collectives.size() == 5);
    CHECK(trace.ranks.size() == 1);
    CHECK(trace.ranks[0].rank == RankId(1));  // in its largest communicator
    const auto of = [&](std::string_view op) {
      return *std::find_if(trace.collectives.begin(), trace.collectives.end(), [&](const Collective& one) {
        return trace.names[static_cast<std::size_t>(one.op.value)] == op;
      });
    };
    const Collective reduce = of("AllReduce");
    const auto row = static_cast<std::size_t>(reduce.span);
    CHECK(trace.spans.start[row] == 90000);
    CHECK(trace.spans.duration[row] == 60000);
    CHECK(trace.spans.bytes[row] == 1500);  // 2 x 3/4
    CHECK(reduce.sequence == 10);
    CHECK(reduce.channels == 2);
    CHECK(reduce.group_size == 4);
    CHECK(trace.comm_groups[static_cast<std::size_t>(reduce.comm_group)].name == "nccl 00000000000000ab");
    CHECK(trace.context_of(row).stage == Stage::kALLREDUCE);
    const Collective gather = of("AllGather"), scatter = of("ReduceScatter"), send = of("Send"), recv = of("Recv");
    CHECK(gather.bytes_in == 64);
    CHECK(gather.bytes_out == 128);
    CHECK(trace.comm_groups[static_cast<std::size_t>(gather.comm_group)].kind == GroupKind::kEP);
    CHECK(scatter.bytes_in == 128);
    CHECK(scatter.bytes_out == 64);
    CHECK(trace.spans.bytes[static_cast<std::size_t>(scatter.span)] == 64);
    CHECK(send.root_or_peer == 2);
    CHECK(send.bytes_in == 300);
    CHECK(recv.bytes_out == 500);
    CHECK(trace.track_of(row).name == "communicator 0xab");
    const Analysis analysis = analyze(trace, attribute(trace), {});
    REQUIRE(analysis.selection.devices.size() == 1);
    // 90..150, 160..170, 180..200, 210..230 of both point-to-point operations: all communication.
    CHECK(*evaluate(*find_metric(Grain::kRank, "comm_ns"), analysis, 0, 0) == Approx(110000));
    // What computed beside them was not recorded.
    for (const char* id : {"exposed_comm_ns", "hidden_fraction", "compute_ns", "idle_ns"})
      CHECK(evaluate(*find_metric(Grain::kRank, id), analysis, 0, 0).reason().find("NCCL's operations alone") !=
            std::string::npos);
  }
}

TEST_CASE("without times there are collectives only, and the report can say why") {
  const Trace trace = load({head("0xab", "", 0, 2) + coll("AllReduce", 1, 8, "") + head("0xab", "", 0, 2) +
                            coll("AllReduce", 4, 8, "") + head("0xab", "", 0, 2) + "\"group\":{\"start_ts\":1}}\n"});
  CHECK(trace.spans.size() == 0);
  CHECK(trace.collectives.size() == 2);
  CHECK(said(trace, "collectives_without_times", 2));
  CHECK(said(trace, "records_missing", 2));  // 2 and 3
  CHECK(said(trace, "records_left_out", 1));
}

TEST_CASE("a file a rank; a rank that is taken gives the lowest free one") {
  const std::string times = v40({{100, 140}});
  const Trace both = load({head("0xab", "", 1, 2, 11) + coll("AllReduce", 1, 8, times),
                           head("0xab", "", 0, 2, 12) + coll("AllReduce", 1, 8, times)});
  REQUIRE(both.ranks.size() == 2);
  CHECK(both.comm_groups.size() == 1);
  CHECK(both.clocks.size() == 1);  // one host
  const Trace twice = load({head("0xab", "", 0, 2, 11) + coll("AllReduce", 1, 8, times),
                            head("0xcd", "", 0, 2, 12) + coll("AllReduce", 1, 8, times)});
  CHECK(twice.ranks.size() == 2);
  CHECK(said(twice, "rank_assumed", 1));
  const test::ScratchFolder folder;
  const std::string text = head("0xab", "", 0, 2) + coll("AllReduce", 1, 8, times);
  test::write_file(folder / "a.log", text);
  test::write_file(folder / "b.log", text);
  CHECK_THROWS_WITH(load_trace({folder / "a.log", folder / "b.log"}, "auto", {}),
                    Catch::Matchers::Contains("process 7 was already read"));
}

TEST_CASE("beside a timeline of its rank the spans are the timeline's, whichever is named first") {
  const test::ScratchFolder folder;
  const std::string timeline = MOESCOPE_SOURCE_DIR "/samples/traces/tiny_deepep.json";
  const Trace alone = load_trace({timeline}, "auto", {});
  REQUIRE(alone.ranks.size() == 1);
  test::write_file(folder / "a.log",
                   head("0xab", "", alone.ranks[0].rank.value, 8) + coll("AllReduce", 1, 8, v40({{100, 140}})));
  for (const bool log_first : {true, false}) {
    const std::string log = folder / "a.log";
    const Trace both = load_trace(log_first ? std::vector{log, timeline} : std::vector{timeline, log}, "auto", {});
    CHECK(both.spans.size() == alone.spans.size());
    CHECK(both.collectives.size() == alone.collectives.size() + 1);
    CHECK(both.ranks.size() == 1);
    CHECK(said(both, "spans_of_timeline", 1));
  }
}

TEST_CASE("what is amiss is refused with its line") {
  const std::string good = head("0xab", "", 0, 2) + coll("AllReduce", 1, 8, "");
  CHECK(refusal(good + "\n{\"header\":\n").find("line 3: not valid JSON") != std::string::npos);
  CHECK(refusal(good + good.substr(0, 200)).find("line 2: not valid JSON") != std::string::npos);
  CHECK(refusal(good + good.substr(0, 200)).find("--salvage") != std::string::npos);
  CHECK(refusal(good + head("0xab", "", 0, 2, 8) + coll("AllReduce", 2, 8, "")).find("line 2: a record of process 8") !=
        std::string::npos);
  CHECK(refusal(good + head("0xab", "", 1, 2) + coll("AllReduce", 2, 8, "")).find("line 2: another rank") !=
        std::string::npos);
  CHECK(refusal(head("0xab", "", 2, 2) + coll("AllReduce", 2, 8, "")).find("line 1: rank 2 of 2") != std::string::npos);
  CHECK(
      refusal(head("0xab", "", 0, 2) + coll("AllReduce", 1, -5, "")).find("line 1: coll_msg_size_bytes is no number") !=
      std::string::npos);
  CHECK(refusal(good + "{\"coll_perf\": {}}\n").find("line 2: no header") != std::string::npos);
  CHECK(refusal(head("0xab", "", 0, 2) + "\"group\":{}}\n").find("no completed operation") != std::string::npos);
  const Trace cut = load({good + good.substr(0, 200)}, true);
  CHECK(cut.collectives.size() == 1);
  CHECK(cut.cut_short());
}

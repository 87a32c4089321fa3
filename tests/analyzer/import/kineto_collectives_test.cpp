// SPDX-License-Identifier: Apache-2.0
// What a Kineto file says of its collectives, their groups, its host and its launches.
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/kineto_text.h"
#include "tests/support/catch.h"

using namespace moescope;
using test::diagnostic_of;
using test::host_event;
using test::kernel_event;
using test::kineto_text;
using test::load_kineto;

namespace {

std::string all_to_all(const std::string& in_splits, const std::string& out_splits, const std::string& more = "") {
  return R"(, "Collective name": "all_to_allv", "In msg nelems": 2048, "Out msg nelems": 1536, "Group size": 4,
    "dtype": "BFloat16", "In split size": ")" +
         in_splits + R"(", "Out split size": ")" + out_splits +
         R"(", "Process Group Name": "3", "Process Group Description": "EXPERT_MODEL_PARALLEL_GROUP",
    "Process Group Ranks": "[8, 9, 10, 11]")" +
         more;
}

const std::string kRank10 = R"("distributedInfo": {"backend": "nccl", "rank": 10, "world_size": 16, "pg_count": 2,
  "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, "ranks": [0, 1]},
                {"pg_name": "7", "pg_desc": "mesh_dp_shard", "pg_size": 3, "ranks": "[2, 6, 10]"},
                {"pg_name": "8", "pg_desc": "undefined", "pg_size": 40, "ranks": "[0, 1, ...]"}]}, )";

std::string text_of(const Trace& trace, NameId name) {
  return name.valid() ? trace.names[static_cast<std::size_t>(name.value)] : std::string();
}

}  // namespace

TEST_CASE("a collective's arguments become a row: sizes, splits in elements, group, sequence, its span") {
  // Rows of 2048 / 8 = 256 and 1536 / 6 = 256 elements. Rank 10 is third in its group: it sends 2048 - 4 * 256
  // elements.
  const Trace trace =
      load_kineto(kineto_text(kernel_event("later", "50", "1") + "," +
                                  kernel_event("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "10", "5", 7,
                                               all_to_all("[1, 2, 4, 1]", "[0, 3, 3, 0]", ", \"Seq\": 207")) +
                                  "," + kernel_event("first", "1", "1"),
                              kRank10));
  REQUIRE(trace.collectives.size() == 1);
  const Collective& one = trace.collectives[0];
  REQUIRE(one.span == 1);
  CHECK(trace.name_of(1).starts_with("ncclDevKernel_SendRecv"));
  CHECK(one.rank == RankId(10));
  CHECK(text_of(trace, one.op) == "all_to_allv");
  CHECK(text_of(trace, one.element_type) == "BFloat16");
  CHECK(one.elements_in == 2048);
  CHECK(one.elements_out == 1536);
  CHECK(one.bytes_in == 4096);
  CHECK(one.bytes_out == 3072);
  CHECK(one.group_size == 4);
  CHECK(one.sequence == 207);
  CHECK(one.in_splits == std::vector<std::int64_t>{256, 512, 1024, 256});
  CHECK(one.out_splits == std::vector<std::int64_t>{0, 768, 768, 0});
  CHECK(trace.spans.bytes[1] == 2048);
  REQUIRE(one.comm_group >= 0);
  const CommGroup& group = trace.comm_groups[static_cast<std::size_t>(one.comm_group)];
  CHECK(group.name == "3");
  CHECK(group.kind == GroupKind::kEP);
  CHECK(group.ranks == std::vector<std::int32_t>{8, 9, 10, 11});
  CHECK_FALSE(diagnostic_of(trace, "collectives_without_sizes"));
  CHECK_FALSE(diagnostic_of(trace, "split_lists_cut"));
}

TEST_CASE("lists that are cut: splits stay unknown and are counted, ranks come from elsewhere") {
  const std::string cut = R"(, "Collective name": "all_to_allv", "In msg nelems": 4000, "Out msg nelems": 4000,
    "Group size": 40, "dtype": "Half", "In split size": "[1, 1, ...]", "Out split size": "[1, 1, ...]",
    "Process Group Name": "8", "Process Group Ranks": "[4, 6, ...]")";
  Trace trace = load_kineto(kineto_text(
      kernel_event("a", "1", "1", 7, cut + R"(, "Global rank start": 4, "Global rank stride": 2)"), kRank10));
  REQUIRE(trace.collectives.size() == 1);
  CHECK(trace.collectives[0].in_splits.empty());
  CHECK(trace.collectives[0].bytes_in == 8000);
  CHECK(trace.spans.bytes[0] == -1);
  REQUIRE(diagnostic_of(trace, "split_lists_cut"));
  CHECK(diagnostic_of(trace, "split_lists_cut")->count == 2);
  const CommGroup* group = &trace.comm_groups[static_cast<std::size_t>(trace.collectives[0].comm_group)];
  REQUIRE(group->ranks.size() == 40);
  CHECK(group->ranks[39] == 4 + 39 * 2);

  trace = load_kineto(kineto_text(  // spacing that the list's beginning contradicts
      kernel_event("a", "1", "1", 7, cut + R"(, "Global rank start": 4, "Global rank stride": 1)"), kRank10));
  group = &trace.comm_groups[static_cast<std::size_t>(trace.collectives[0].comm_group)];
  CHECK(group->ranks.empty());

  trace = load_kineto(kineto_text(
      kernel_event("a", "1", "1", 7, cut),
      R"("distributedInfo": {"rank": 0, "pg_config": [{"pg_name": "8", "pg_desc": "", "ranks": [)" +
          [] {
            std::string ranks = "5";
            for (int i = 1; i < 40; ++i) ranks += ", " + std::to_string(5 + i * 3);
            return ranks;
          }() +
          "]}]}, "));
  group = &trace.comm_groups[static_cast<std::size_t>(trace.collectives[0].comm_group)];
  REQUIRE(group->ranks.size() == 40);
  CHECK(group->ranks[1] == 8);
}

TEST_CASE("groups of distributedInfo are kept with kind and ranks, once for all files") {
  const test::ScratchFolder folder;
  test::write_file(folder / "a.json", kineto_text(kernel_event("a", "1", "1"), kRank10));
  std::string other = kRank10;
  other.replace(other.find("\"rank\": 10"), 10, "\"rank\": 6");
  test::write_file(folder / "b.json", kineto_text(kernel_event("a", "1", "1"), other));
  const Trace trace = load_trace({folder / "a.json", folder / "b.json"}, "auto", {});
  REQUIRE(trace.comm_groups.size() == 2);  // the third's ranks are not given whole
  CHECK(trace.comm_groups[0].kind == GroupKind::kUNKNOWN);
  CHECK(trace.comm_groups[1].name == "7");
  CHECK(trace.comm_groups[1].kind == GroupKind::kDP);
  CHECK(trace.comm_groups[1].ranks == std::vector<std::int32_t>{2, 6, 10});
}

TEST_CASE("a point-to-point call names its peer") {
  const std::string common = R"("In msg nelems": 8, "Out msg nelems": 8, "Group size": 2, "dtype": "Int", )";
  const Trace trace = load_kineto(kineto_text(
      kernel_event("a", "1", "1", 7, R"(, "Collective name": "send", )" + common + R"("Src Rank": 0, "Dst Rank": 5)") +
          "," +
          kernel_event("b", "2", "1", 7,
                       R"(, "Collective name": "recv", )" + common + R"("Src Rank": 3, "Dst Rank": 0)"),
      ""));
  REQUIRE(trace.collectives.size() == 2);
  CHECK(trace.collectives[0].root_or_peer == 5);
  CHECK(trace.collectives[1].root_or_peer == 3);
  CHECK(trace.spans.bytes[0] == 32);
  CHECK(trace.spans.bytes[1] == 0);
}

TEST_CASE("collectives known by NCCL's kernel names only: rows without sizes, and the run says so") {
  const Trace trace =
      load_kineto(kineto_text(kernel_event("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "1", "1") + "," +
                              kernel_event("void gemm<1>()", "3", "1") + "," +
                              kernel_event("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "5", "1")));
  REQUIRE(trace.collectives.size() == 2);
  CHECK(text_of(trace, trace.collectives[0].op) == "AllReduce");
  CHECK(trace.collectives[0].algorithm == "ring");
  CHECK(trace.collectives[0].protocol == "ll");
  CHECK(trace.collectives[0].comm_group == -1);
  CHECK(trace.collectives[0].bytes_in == -1);
  CHECK(trace.collectives[1].span == 2);
  REQUIRE(diagnostic_of(trace, "collectives_without_sizes"));
  CHECK(diagnostic_of(trace, "collectives_without_sizes")->count == 2);
  CHECK_FALSE(diagnostic_of(load_kineto(kineto_text(kernel_event("gemm", "1", "1"))), "collectives_without_sizes"));
}

TEST_CASE("a process that names no rank knows no place in a group") {
  const Trace trace = load_kineto(kineto_text(kernel_event("a", "1", "1", 7, all_to_all("[1, 2, 4, 1]", "[]"))));
  REQUIRE(trace.collectives.size() == 1);
  CHECK(trace.collectives[0].in_splits.size() == 4);
  CHECK(trace.spans.bytes[0] == -1);
}

TEST_CASE("files that name one host share its clock, others have their own") {
  const std::string host = host_event("cpu_op", "op", 1, 1);
  const auto file = [&](int rank, const std::string& more) {
    return kineto_text(host, R"("distributedInfo": {"rank": )" + std::to_string(rank) + "}, ", more);
  };
  const auto handler_name = [](const std::string& name) { return R"(, "traceName": ")" + name + "\""; };
  const test::ScratchFolder folder;
  const std::vector<std::string> texts = {
      file(0, handler_name("./log/node-a_100.1743406976912802812.pt.trace.json")),
      file(1, handler_name("./other/node-a_100.1743406976916608951.pt.trace.json.gz")),
      file(2, handler_name("node-b.example_100.1743406976916608951.pt.trace.json")),
      file(3, R"(, "host_name": "node-a")"),
      file(4, handler_name("node-a_777.1743406976916608951.pt.trace.json")),  // not the process of these events
      file(5, handler_name("trace_100.json")),
      file(6, handler_name("localhost_100.1743406976916608951.pt.trace.json")),
  };
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    paths.push_back(folder / std::to_string(i) + ".json");
    test::write_file(paths.back(), texts[i]);
  }
  const Trace trace = load_trace(paths, "auto", {});
  const auto clock_of = [&trace](std::int32_t rank) {
    for (const Track& track : trace.tracks)
      if (track.rank == RankId(rank)) return track.clock.value;
    return -1;
  };
  CHECK(clock_of(1) == clock_of(0));
  CHECK(clock_of(3) == clock_of(0));
  CHECK(std::set<std::int32_t>{clock_of(0), clock_of(2), clock_of(4), clock_of(5), clock_of(6)}.size() == 5);
  CHECK(trace.clocks.size() == 5);
  CHECK(trace.ranks.at(0).host == "node-a");
  CHECK(trace.ranks.at(2).host == "node-b.example");
  CHECK(trace.ranks.at(4).host.empty());
  CHECK(trace.files.at(2).host == "node-b.example");
  CHECK(trace.files.at(0).pid == 100);
}

TEST_CASE("kernels of a graph take the range and step that launched the graph") {
  const auto in_graph = [](const char* name, const char* ts, int node) {
    return kernel_event(name, ts, "5", 7,
                        R"(, "correlation": 9, "graph id": 3, "graph node id": )" + std::to_string(node));
  };
  const Trace trace = load_kineto(kineto_text(
      host_event("user_annotation", "ProfilerStep#4", 0, 40) + "," + host_event("user_annotation", "decode", 5, 20) +
      "," + host_event("cuda_runtime", "cudaGraphLaunch", 10, 3, R"("cbid": 311, "correlation": 9)") + "," +
      in_graph("k1", "100", 1) + "," + in_graph("k2", "110", 2) + "," + kernel_event("alone", "120", "5")));
  const Attribution attribution = attribute(trace);
  for (const char* name : {"k1", "k2"}) {
    const std::size_t row = test::row_named(trace, name);
    REQUIRE(attribution.annotation[row] >= 0);
    CHECK(trace.names[static_cast<std::size_t>(attribution.annotation[row])] == "decode");
    CHECK(trace.context_of(row).step == StepId(0));
  }
  CHECK_FALSE(trace.context_of(test::row_named(trace, "alone")).step.valid());
  CHECK_FALSE(diagnostic_of(trace, "no_launch_side"));
}

TEST_CASE("device work without any launching call says so") {
  const Trace trace =
      load_kineto(kineto_text(host_event("user_annotation", "range", 0, 5) + "," + kernel_event("k", "1", "1") + "," +
                              kernel_event("l", "2", "1", 7, R"(, "correlation": 5)")));
  REQUIRE(diagnostic_of(trace, "no_launch_side"));
  CHECK(diagnostic_of(trace, "no_launch_side")->count == 2);
  CHECK_FALSE(diagnostic_of(load_kineto(kineto_text(host_event("cpu_op", "op", 0, 5))), "no_launch_side"));
}

TEST_CASE("HIP calls launch, and AMD's copies say their direction beside the name") {
  const Trace trace = load_kineto(
      kineto_text(host_event("hip_runtime", "hipLaunchKernel", 1, 1, R"("correlation": 1)") + "," +
                  kernel_event("k", "10", "1", 0, R"(, "correlation": 1, "kind": "Dispatch Kernel")") + "," +
                  R"({"ph": "X", "cat": "gpu_memcpy", "name": "Copy", "pid": 2, "tid": 0, "ts": 20, "dur": 1,
          "args": {"kind": "DtoH", "device": 2, "stream": 0, "bytes": 4}})"));
  CHECK(trace.context_of(test::row_named(trace, "hipLaunchKernel")).kind == SpanKind::kRUNTIME);
  CHECK(trace.context_of(test::row_named(trace, "Copy")).copy_kind == CopyKind::kD2H);
  CHECK(trace.track_of(test::row_named(trace, "Copy")).device == 2);
  CHECK_FALSE(diagnostic_of(trace, "no_launch_side"));
}

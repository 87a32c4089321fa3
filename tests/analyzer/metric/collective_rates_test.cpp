// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/collective_rates.h"

#include "analyzer/metric/metrics.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

TEST_CASE("bus factors are nccl-tests', in every library's spelling") {
  // https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
  for (const char* op : {"allreduce", "AllReduce", "all_reduce", "allreduce_coalesced"})
    CHECK(bus_factor(op, 8) == Approx(2 * 7 / 8.0));
  for (const char* op : {"_allgather_base", "AllGather", "reduce_scatter_tensor_coalesced", "ReduceScatter",
                         "all_to_allv", "all_to_all", "AlltoAll"})
    CHECK(bus_factor(op, 4) == Approx(3 / 4.0));
  for (const char* op : {"broadcast", "Reduce", "send", "recv"}) CHECK(bus_factor(op, 16) == 1);
}

TEST_CASE("rates of collectives: the larger buffer over the time of its calls, of those in scope") {
  HandTrace hand;
  TraceBuilder& builder = hand.builder();
  const TrackId lane = hand.lane(0);
  const auto call = [&](const char* op, std::int32_t size, std::int64_t in, std::int64_t out, Ns begin, Ns end) {
    hand.work(lane, Stage::kALLREDUCE, begin, end);
    Collective collective;
    collective.span = static_cast<std::int64_t>(hand.raw().spans.size()) - 1;
    collective.rank = RankId(0);
    collective.op = builder.name(op);
    collective.group_size = size;
    collective.bytes_in = in;
    collective.bytes_out = out;
    builder.collective(collective);
  };
  call("all_reduce", 4, 1'000, 1'000, 0, 100);
  call("all_reduce", 4, 1'000, 1'000, 200, 600);
  call("all_gather", 4, 250, 1'000, 700, 800);
  call("all_gather", 4, -1, -1, 900, 1'000);  // says no sizes
  call("broadcast", -1, 500, 500, 1'100, 1'200);
  const Trace trace = hand.finish();
  const Attribution said = as_said(trace);
  const Analysis analysis = analyze(trace, said, {}, Definition::kMoescope, Per::kWindow);
  REQUIRE(analysis.collectives.size() == 3);  // by name
  const auto figure = [&](const char* id, std::size_t row) {
    return evaluate(*find_metric(Grain::kCollective, id), analysis, row);
  };
  CHECK(analysis.collectives[1].op == "all_reduce");
  CHECK(*figure("count", 1) == 2);
  CHECK(*figure("time_ns", 1) == 500);
  CHECK(*figure("logical_bytes", 1) == 2'000);
  CHECK(*figure("algbw_gb_s", 1) == Approx(4));
  CHECK(*figure("busbw_gb_s", 1) == Approx(4 * 1.5));
  CHECK(*figure("busbw_best_gb_s", 1) == Approx(10 * 1.5));
  // A part of the calls is no total.
  CHECK_FALSE(figure("algbw_gb_s", 0));
  CHECK(figure("algbw_gb_s", 0).reason() == "1 of 2 spans carry sizes");
  CHECK(*figure("algbw_gb_s", 2) == Approx(5));
  CHECK(figure("busbw_gb_s", 2).reason() == "the size of its group is not in the record");

  Scope late;
  late.window = Interval{650, 2'000};
  const Analysis scoped = analyze(trace, said, late, Definition::kMoescope, Per::kWindow);
  CHECK(scoped.collectives.size() == 2);
}

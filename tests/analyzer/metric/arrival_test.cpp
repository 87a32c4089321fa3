// SPDX-License-Identifier: Apache-2.0
// Between ranks: who belongs to whom, what the clocks are off, who waited for whom. Truth is what made the trace.
#include "analyzer/metric/arrival.h"

#include <algorithm>
#include <random>

#include "analyzer/metric/device_figures.h"
#include "analyzer/metric/metrics.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

namespace {

Arrivals arrivals_of(const Trace& trace) {
  const Attribution said = as_said(trace);
  const Selection selection = select(trace, said, {});
  const Work work = work_of(trace, said, selection, Definition::kMoescope);
  std::vector<CallLists> calls;
  for (DeviceFigures& its : all_device_figures(work)) calls.push_back(std::move(its.calls));
  return arrivals(trace, selection, calls);
}
ClockId other_clock(HandTrace& hand, const std::string& boot) {
  return hand.builder().clock({ClockKind::kMONOTONIC, "clock", boot});
}

}  // namespace

TEST_CASE(
    "a wait is until the last rank has come, the transfer is what the quickest took, the delay is the last one's") {
  HandTrace hand;
  const TrackId a = hand.lane(0), b = hand.lane(1), c = hand.lane(2);
  hand.work(a, Stage::kALLREDUCE, 100, 1'000);
  hand.work(b, Stage::kALLREDUCE, 700, 1'000);
  hand.work(c, Stage::kALLREDUCE, 300, 1'000);
  hand.work(a, Stage::kALLREDUCE, 2'000, 2'500);
  hand.work(b, Stage::kALLREDUCE, 1'900, 2'500);
  hand.work(c, Stage::kALLREDUCE, 1'950, 2'500);
  const Arrivals arrivals = arrivals_of(hand.finish());
  REQUIRE(arrivals.clocks);
  CHECK_FALSE(arrivals.clocks->fitted);
  CHECK(arrivals.clocks->residual_p95 == 0);
  CHECK(arrivals.left_out.empty());
  REQUIRE(arrivals.rows.size() == 1);
  const auto& cells = arrivals.rows[0].cells;
  CHECK(cells[0]->wait == 600);
  CHECK(cells[1]->wait == 100);
  CHECK(cells[2]->wait == 400 + 50);
  for (const auto& cell : cells) {
    CHECK(cell->count == 2);
    CHECK(cell->transfer == 300 + 500);
  }
  CHECK(cells[1]->last == 1);
  CHECK(cells[1]->caused == 600);
  CHECK(cells[0]->caused == 100);
  CHECK(cells[2]->caused == 0);
  REQUIRE(arrivals.worst.size() == 2);
  CHECK(arrivals.worst[0].wait == 600);
  CHECK(arrivals.worst[0].last == RankId(1));
}

TEST_CASE("clocks of different hosts are tied by the ends of what ranks did together: any offset, waits stay exact") {
  std::mt19937_64 random(20261);
  for (int round = 0; round < 200; ++round) {
    HandTrace hand;
    const int ranks = 2 + static_cast<int>(random() % 5), calls = 3 + static_cast<int>(random() % 30);
    std::vector<Ns> offset, wait(static_cast<std::size_t>(ranks), 0);
    std::vector<TrackId> lanes;
    for (int rank = 0; rank < ranks; ++rank) {
      offset.push_back(static_cast<Ns>(random() % 2'000'000'000'000) - 1'000'000'000'000);
      lanes.push_back(hand.lane(rank, 0, other_clock(hand, "boot" + std::to_string(rank))));
    }
    Ns now = 0, transfer = 0;
    for (int call = 0; call < calls; ++call) {
      std::vector<Ns> start;
      for (int rank = 0; rank < ranks; ++rank) start.push_back(now + static_cast<Ns>(random() % 5'000));
      const Ns latest = *std::max_element(start.begin(), start.end()), moves = 1 + static_cast<Ns>(random() % 3'000);
      transfer += moves;
      for (std::size_t rank = 0; rank < start.size(); ++rank) {
        hand.work(lanes[rank], Stage::kALLREDUCE, start[rank] + offset[rank], latest + moves + offset[rank]);
        wait[rank] += latest - start[rank];
      }
      now = latest + moves + 1;
    }
    const Trace trace = hand.finish();
    const Arrivals arrivals = arrivals_of(trace);
    REQUIRE(arrivals.clocks);
    CHECK(arrivals.clocks->fitted);
    CHECK(arrivals.clocks->residual_p95 == 0);
    REQUIRE(arrivals.rows.size() == 1);
    for (std::size_t rank = 0; rank < wait.size(); ++rank) {
      CHECK(arrivals.clocks->offset[rank] == offset[0] - offset[rank]);
      REQUIRE(arrivals.rows[0].cells[rank]);
      CHECK(arrivals.rows[0].cells[rank]->wait == wait[rank]);
      CHECK(arrivals.rows[0].cells[rank]->transfer == transfer);
    }
  }
}

TEST_CASE("what the fit leaves over is the error bar, and waits are within it") {
  std::mt19937_64 random(7);
  HandTrace hand;
  const TrackId a = hand.lane(0, 0, other_clock(hand, "a")), b = hand.lane(1, 0, other_clock(hand, "b"));
  constexpr Ns kOffset = 77'000'000;
  Ns wait = 0;
  for (Ns call = 0; call < 400; ++call) {
    const Ns start = call * 100'000, late = static_cast<Ns>(random() % 20'000);
    const Ns jitter = static_cast<Ns>(random() % 2'001) - 1'000;  // of b's end, 1,000 at most
    hand.work(a, Stage::kALLREDUCE, start, start + 50'000);
    hand.work(b, Stage::kALLREDUCE, start + late + kOffset, start + 50'000 + jitter + kOffset);
    wait += late;
  }
  const Arrivals arrivals = arrivals_of(hand.finish());
  REQUIRE(arrivals.clocks);
  CHECK(arrivals.clocks->residual_p95 > 850);  // 95 % of a uniform spread to 1,000 is 950
  CHECK(arrivals.clocks->residual_p95 < 1'100);
  CHECK(std::abs(arrivals.rows.at(0).cells[0]->wait - wait) <= 400 * arrivals.clocks->residual_p95);
}

TEST_CASE("a record that begins later is matched by time, and its missing calls are left out") {
  HandTrace hand;
  const TrackId a = hand.lane(0), b = hand.lane(1);
  for (Ns call = 0; call < 20; ++call) {
    hand.work(a, Stage::kALLREDUCE, call * 1'000, call * 1'000 + 500);
    if (call >= 3) hand.work(b, Stage::kALLREDUCE, call * 1'000 + 200, call * 1'000 + 500);
  }
  const Arrivals arrivals = arrivals_of(hand.finish());
  REQUIRE(arrivals.rows.size() == 1);
  CHECK(arrivals.rows[0].cells[0]->count == 17);
  CHECK(arrivals.rows[0].cells[0]->wait == 17 * 200);
  CHECK(arrivals.rows[0].cells[1]->wait == 0);
}

TEST_CASE("kernels that don't wait for each other have no arrival wait, and the report is told") {
  HandTrace hand;
  const TrackId a = hand.lane(0), b = hand.lane(1);
  // b comes after a has left, in a quarter of them.
  for (Ns call = 0; call < 20; ++call) {
    hand.work(a, Stage::kDISPATCH, call * 10'000'000, call * 10'000'000 + 300'000);
    const Ns late = call % 8 == 0 ? 500'000 : 0;
    hand.work(b, Stage::kDISPATCH, call * 10'000'000 + late, call * 10'000'000 + late + 300'000);
  }
  const Arrivals arrivals = arrivals_of(hand.finish());
  CHECK(arrivals.rows.empty());
  REQUIRE(arrivals.left_out.size() == 1);
  CHECK(arrivals.left_out[0].find("in 3 of 20 instances a rank leaves before the last has come") != std::string::npos);
}

TEST_CASE("different numbers of calls on different clocks can't be matched; too few in common tie no clocks") {
  HandTrace uneven;
  const TrackId a = uneven.lane(0, 0, other_clock(uneven, "a")), b = uneven.lane(1, 0, other_clock(uneven, "b"));
  for (Ns call = 0; call < 5; ++call) {
    uneven.work(a, Stage::kALLREDUCE, call * 100, call * 100 + 50);
    if (call > 0) uneven.work(b, Stage::kALLREDUCE, call * 100, call * 100 + 50);
  }
  const Arrivals unmatched = arrivals_of(uneven.finish());
  CHECK_FALSE(unmatched.clocks);
  REQUIRE(unmatched.left_out.size() == 1);
  CHECK(unmatched.left_out[0].find("allreduce: neither sequence numbers nor times") == 0);

  HandTrace few;
  const TrackId c = few.lane(0, 0, other_clock(few, "a")), d = few.lane(1, 0, other_clock(few, "b"));
  for (Ns call = 0; call < 2; ++call) {
    few.work(c, Stage::kALLREDUCE, call * 100, call * 100 + 50);
    few.work(d, Stage::kALLREDUCE, call * 100, call * 100 + 50);
  }
  const Arrivals untied = arrivals_of(few.finish());
  CHECK_FALSE(untied.clocks);
  CHECK(untied.clocks.reason().find("the clock of rank 1 is tied to no other") == 0);
}

TEST_CASE("sequence numbers of a group match calls whatever their order in time") {
  HandTrace hand;
  TraceBuilder& builder = hand.builder();
  const TrackId a = hand.lane(0, 0, other_clock(hand, "a")), b = hand.lane(1, 0, other_clock(hand, "b"));
  const auto call = [&](TrackId lane, int rank, std::int64_t sequence, Ns begin, Ns end) {
    hand.work(lane, Stage::kALLREDUCE, begin, end);
    Collective collective;
    collective.span = static_cast<std::int64_t>(hand.raw().spans.size()) - 1;
    collective.rank = RankId(rank);
    collective.sequence = sequence;
    builder.collective(collective);
  };
  for (Ns n = 0; n < 6; ++n) call(a, 0, n, n * 1'000, n * 1'000 + 400);
  for (Ns n = 2; n < 8; ++n) call(b, 1, n, n * 1'000 + 100, n * 1'000 + 400);  // saw 2 … 7
  const Arrivals arrivals = arrivals_of(hand.finish());
  REQUIRE(arrivals.clocks);
  REQUIRE(arrivals.rows.size() == 1);
  CHECK(arrivals.rows[0].cells[0]->count == 4);
  CHECK(arrivals.rows[0].cells[0]->wait == 4 * 100);
  CHECK(arrivals.rows[0].cells[1]->last == 4);
}

TEST_CASE("groups known by name alone, and operations that count for themselves, are kept apart") {
  HandTrace hand;
  TraceBuilder& builder = hand.builder();
  const TrackId a = hand.lane(0), b = hand.lane(1);
  for (const char* name : {"nccl 1", "nccl 2"}) hand.raw().comm_groups.push_back({GroupKind::kUNKNOWN, name, {}});
  const auto call = [&](TrackId lane, int rank, int group, const char* op, Ns begin, Ns end) {
    hand.work(lane, Stage::kALLREDUCE, begin, end);
    Collective collective;
    collective.span = static_cast<std::int64_t>(hand.raw().spans.size()) - 1;
    collective.rank = RankId(rank);
    collective.comm_group = group;
    collective.sequence = 0;  // the first of its kind, each of the three
    collective.op = builder.name(op);
    builder.collective(collective);
  };
  const struct {
    int group;
    const char* op;
  } kinds[] = {{0, "AllReduce"}, {1, "AllReduce"}, {0, "Reduce"}};
  for (Ns n = 0; n < 3; ++n) {
    call(a, 0, kinds[n].group, kinds[n].op, n * 1'000, n * 1'000 + 900);
    call(b, 1, kinds[n].group, kinds[n].op, n * 1'000 + 10 * (n + 1), n * 1'000 + 900);
  }
  const Arrivals arrivals = arrivals_of(hand.finish());
  REQUIRE(arrivals.rows.size() == 1);
  CHECK(arrivals.rows[0].cells[0]->count == 3);
  CHECK(arrivals.rows[0].cells[0]->wait == 10 + 20 + 30);
}

TEST_CASE("one rank has no arrival to speak of, and says so") {
  HandTrace hand;
  hand.work(hand.lane(0), Stage::kALLREDUCE, 0, 100);
  const Arrivals arrivals = arrivals_of(hand.finish());
  CHECK(arrivals.clocks.reason() == "one rank only");
}

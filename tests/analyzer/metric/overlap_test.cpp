// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/overlap.h"

#include <bitset>
#include <random>

#include "analyzer/metric/analysis.h"
#include "analyzer/metric/metrics.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

namespace {
constexpr std::size_t kTicks = 400;
using Bits = std::bitset<kTicks>;

Bits bits(Ns begin, Ns end) {
  Bits set;
  for (Ns t = begin; t < end; ++t) set.set(static_cast<std::size_t>(t));
  return set;
}
}  // namespace

TEST_CASE("overlap figures equal a count of instants, whatever the spans") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    HandTrace trace;
    const TrackId lanes[] = {trace.lane(0), trace.lane(0), trace.lane(0)};
    Bits compute, payload, control, copies;
    Ns summed = 0, first = kTicks, last = 0;
    std::vector<Bits> communication;
    const int spans = 1 + static_cast<int>(random() % 20);
    for (int i = 0; i < spans; ++i) {
      const Ns begin = static_cast<Ns>(random() % (kTicks - 60));
      const Ns end = begin + 1 + static_cast<Ns>(random() % 50);
      const Bits instants = bits(begin, end);
      const TrackId lane = lanes[random() % 3];
      first = std::min(first, begin);
      last = std::max(last, end);
      switch (random() % 4) {
        case 0:
          trace.work(lane, random() % 2 == 0 ? Stage::kDISPATCH : Stage::kALLREDUCE, begin, end);
          payload |= instants;
          communication.push_back(instants);
          summed += end - begin;
          break;
        case 1:
          trace.work(lane, Stage::kCOMBINE, begin, end, {.part = random() % 2 == 0 ? Part::kSYNC : Part::kMETA});
          control |= instants;
          communication.push_back(instants);
          summed += end - begin;
          break;
        case 2:
          trace.work(lane, random() % 2 == 0 ? Stage::kL1 : Stage::kATTENTION, begin, end);
          compute |= instants;
          break;
        default:
          trace.work(lane, Stage::kMEMCPY, begin, end, {.kind = SpanKind::kCOPY, .copy = CopyKind::kH2D});
          copies |= instants;
      }
    }
    const Trace done = trace.finish();
    const Attribution attribution = as_said(done);
    const Bits comm = payload | control, busy = comm | compute | copies;
    for (const DefinitionName& meaning : definitions()) {
      const Selection selection = select(done, attribution, {});
      REQUIRE(selection.devices.size() == 1);
      const Work work = work_of(done, attribution, selection, meaning.definition);
      DeviceWork device(work);
      device.load(0);
      const Overlap figures = overlap(device);
      CHECK(figures.span == last - first);
      CHECK(figures.busy == static_cast<Ns>(busy.count()));
      CHECK(figures.idle == last - first - static_cast<Ns>(busy.count()));
      CHECK(figures.compute == static_cast<Ns>(compute.count()));
      CHECK(figures.comm == static_cast<Ns>(comm.count()));
      CHECK(figures.comm_control == static_cast<Ns>((control & ~payload).count()));
      if (meaning.definition == Definition::kNsys) {
        Ns exposed = 0;
        for (const Bits& one : communication) exposed += static_cast<Ns>((one & ~compute).count());
        CHECK(figures.exposed == exposed);
        CHECK(figures.weighed_comm == summed);
      } else {
        const Bits hides = meaning.definition == Definition::kTracelens ? compute | copies : compute;
        CHECK(figures.exposed == static_cast<Ns>((comm & ~hides).count()));
        CHECK(figures.weighed_comm == figures.comm);
      }
    }
  }
}

TEST_CASE("figures are per step; work outside steps and a step without an end are left out and counted") {
  HandTrace trace;
  const TrackId lane = trace.lane(0), link = trace.lane(0);
  // Two whole steps of 100 ns with 30 and 50 ns exposed, a third without an end, and warm-up outside any step.
  trace.work(link, Stage::kDISPATCH, 0, 40);
  for (int step = 0; step < 3; ++step) {
    const Ns at = 1000 * (step + 1), exposed = 30 + 20 * step;
    trace.work(link, Stage::kDISPATCH, at, at + exposed, {.step = step});
    trace.work(lane, Stage::kL1, at + exposed, at + 100, {.step = step});
    trace.step(0, step, at, at + 110, step < 2);
  }
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  CHECK(analysis.selection.per_step);
  CHECK(analysis.selection.rows_outside_steps == 1);
  CHECK(analysis.selection.steps_unfinished == 1);
  const auto figure = [&](const char* id) { return *evaluate(*find_metric(Grain::kRank, id), analysis, 0, 0); };
  CHECK(figure("span_ns") == 100);
  CHECK(figure("comm_ns") == 40);
  CHECK(figure("exposed_comm_ns") == 40);
  CHECK(figure("compute_ns") == 60);
  CHECK(figure("idle_ns") == 0);
  CHECK(figure("hidden_fraction") == 0);
  REQUIRE(analysis.steps.size() == 2);
  CHECK(evaluate_over_ranks(*find_metric(Grain::kStep, "step_ns"), analysis, 1)->median == 110);
  CHECK(evaluate_over_ranks(*find_metric(Grain::kStep, "exposed_comm_ns"), analysis, 1)->median == 50);
}

TEST_CASE("the whole window on request: steps or not, nothing is left out") {
  HandTrace trace;
  const TrackId link = trace.lane(0);
  trace.work(link, Stage::kDISPATCH, 0, 40);
  trace.work(link, Stage::kDISPATCH, 100, 130, {.step = 0});
  trace.work(link, Stage::kDISPATCH, 200, 250, {.step = 1});
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {}, Definition::kMoescope, Per::kWindow);
  CHECK_FALSE(analysis.selection.per_step);
  CHECK(*evaluate(*find_metric(Grain::kRank, "comm_ns"), analysis, 0, 0) == 120);
  CHECK(*evaluate(*find_metric(Grain::kRank, "span_ns"), analysis, 0, 0) == 250);
}

TEST_CASE("a step's communication may hide under another step's compute") {
  HandTrace trace;
  const TrackId lane = trace.lane(0), link = trace.lane(0);
  trace.work(lane, Stage::kL1, 0, 100, {.step = 0});
  trace.work(link, Stage::kDISPATCH, 40, 140, {.step = 1});
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  REQUIRE(analysis.steps.size() == 2);
  CHECK(analysis.steps[1].cells[0]->exposure.exposed == 40);
}

TEST_CASE("scopes pick ranks, steps by the user's number, and layers; all ends inclusive") {
  HandTrace trace;
  for (int rank = 0; rank < 4; ++rank) {
    const TrackId lane = trace.lane(rank);
    for (int step = 0; step < 3; ++step) {
      trace.step(rank, step, 100 * step, 100 * step + 90, true, 10 + step);
      for (int layer = 0; layer < 2; ++layer)
        trace.work(lane, Stage::kALLREDUCE, 100 * step + 10 * layer, 100 * step + 10 * layer + 1 + rank + layer,
                   {.step = step, .layer = layer});
    }
  }
  const Trace done = trace.finish();
  Scope scope;
  scope.ranks = {1, 2};
  scope.steps = {11, 12};
  scope.layers = {1, 1};
  const Analysis analysis = analyze(done, as_said(done), scope);
  REQUIRE(analysis.ranks.size() == 2);
  CHECK(analysis.selection.devices[0].device.rank == RankId(1));
  CHECK(analysis.selection.devices[0].steps.size() == 2);
  CHECK(analysis.ranks[0].comm == 2 * 3);  // two steps, one layer: 1 + rank + layer = 3 ns each
  CHECK(analysis.ranks[1].comm == 2 * 4);
  REQUIRE(analysis.steps.size() == 2);
  CHECK(analysis.steps[0].number == 11);
}

TEST_CASE("no figure mixes clocks: the clock with most work is taken, the rest counted") {
  HandTrace trace;
  const TrackId lane = trace.lane(0);
  const ClockId other = trace.builder().clock({ClockKind::kDEVICE, "device", ""});
  const TrackId strange = trace.lane(0, 0, other);
  for (Ns at = 0; at < 50; at += 10) trace.work(lane, Stage::kL1, at, at + 5);
  trace.work(strange, Stage::kDISPATCH, 1000000, 2000000);
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  CHECK(analysis.selection.rows_on_other_clocks == 1);
  CHECK(analysis.ranks[0].comm == 0);
  CHECK(analysis.ranks[0].span == 45);
  const Answer<double> hidden = evaluate(*find_metric(Grain::kRank, "hidden_fraction"), analysis, 0, 0);
  REQUIRE_FALSE(hidden);
  CHECK(hidden.reason() == "no communication");
}

TEST_CASE("an empty scope has no devices and breaks nothing") {
  HandTrace trace;
  trace.work(trace.lane(0), Stage::kL1, 0, 10);
  const Trace done = trace.finish();
  Scope scope;
  scope.ranks = {7, 9};
  const Analysis analysis = analyze(done, as_said(done), scope);
  CHECK(analysis.selection.devices.empty());
  for (const Metric& metric : metrics())
    if (metric.per_device && row_count(analysis, metric.grain) > 0)
      CHECK_FALSE(evaluate_over_ranks(metric, analysis, 0));
}

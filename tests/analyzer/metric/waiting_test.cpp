// SPDX-License-Identifier: Apache-2.0
// Idle causes, blocking communication, halves in flight and contention: against hand-made timelines, and against a
// sweep that asks every nanosecond by itself.
#include "analyzer/metric/waiting.h"

#include <random>

#include "analyzer/metric/metrics.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

namespace {

// Kernels with launches on one host thread.
class Launched {
 public:
  Launched() {
    clock_ = builder_.clock({ClockKind::kMONOTONIC, "clock", "boot"});
    Track host;
    host.rank = RankId(0);
    host.clock = clock_;
    host_ = builder_.track(host);
    builder_.rank({RankId(0), -1, -1, -1, ""});
  }
  TrackId stream(int number) {
    Track track;
    track.rank = RankId(0);
    track.device = 0;
    track.kind = TrackKind::kGPU_STREAM;
    track.clock = clock_;
    track.stream = number;
    return builder_.track(track);
  }
  // launch_end <= launch_begin: no launch in the record.
  void kernel(TrackId stream, Stage stage, Ns begin, Ns end, Ns launch_begin = 0, Ns launch_end = 0,
              const char* name_text = nullptr, std::int64_t bytes = -1, SpanKind kind = SpanKind::kKERNEL) {
    Context context;
    context.kind = kind;
    context.stage = stage;
    const std::int64_t correlation = launch_end > launch_begin ? ++correlation_ : 0;
    builder_.span(begin, end - begin, stream, builder_.name(name_text ? name_text : std::string(name(stage))),
                  builder_.context(context), correlation, bytes);
    if (correlation == 0) return;
    Context call;
    call.kind = SpanKind::kRUNTIME;
    builder_.span(launch_begin, launch_end - launch_begin, host_, builder_.name("cudaLaunchKernel"),
                  builder_.context(call), correlation);
  }
  Trace finish() { return builder_.finish(); }

 private:
  TraceBuilder builder_;
  ClockId clock_;
  TrackId host_;
  std::int64_t correlation_ = 0;
};

Waiting waiting_of(const Trace& trace) {
  const Attribution said = as_said(trace);
  const Selection selection = select(trace, said, {});
  REQUIRE(selection.devices.size() == 1);
  const Work work = work_of(trace, said, selection, Definition::kMoescope);
  DeviceWork device(work);
  device.load(0);
  return waiting(device);
}

}  // namespace

TEST_CASE("idle time by cause: late launches, dependencies, and work nobody is known to have launched") {
  Launched job;
  const TrackId stream = job.stream(7);
  job.kernel(stream, Stage::kL1, 0, 10'000, -5'000, -4'000);
  // Launched from 12,000 to 13,000: starved until 15,000, 2,000 after the call; then 1,000 more that the launch can't
  // explain.
  job.kernel(stream, Stage::kACT, 16'000, 20'000, 12'000, 13'000);
  // Launched long before.
  job.kernel(stream, Stage::kL2, 25'000, 30'000, 14'000, 15'000);
  job.kernel(stream, Stage::kOTHER, 37'000, 40'000);
  const Waiting waiting = waiting_of(job.finish());
  REQUIRE(waiting.idle);
  CHECK(waiting.idle->launch_starved == 5'000);
  CHECK(waiting.idle->dependency == 1'000 + 5'000);
  CHECK(waiting.idle->other == 7'000);
  CHECK(waiting.idle->waiting_comm == 0);
  CHECK(waiting.idle->total() == 18'000);
}

TEST_CASE("a launch that ends after its work began starves no longer than the gap") {
  Launched job;
  const TrackId stream = job.stream(7);
  job.kernel(stream, Stage::kL1, 0, 10, -5, -4);
  job.kernel(stream, Stage::kL2, 20, 30, 12, 25);
  const Waiting waiting = waiting_of(job.finish());
  CHECK(waiting.idle->launch_starved == 10);
  CHECK(waiting.idle->total() == 10);
}

TEST_CASE("without any launch the causes abstain") {
  Launched job;
  const TrackId stream = job.stream(7);
  job.kernel(stream, Stage::kDISPATCH, 0, 10);
  job.kernel(stream, Stage::kL1, 20, 30);
  const Waiting waiting = waiting_of(job.finish());
  CHECK_FALSE(waiting.idle);
  CHECK(waiting.idle.reason().find("launch calls") != std::string::npos);
  CHECK_FALSE(waiting.blocking);
}

TEST_CASE("blocking communication: only what compute behind it in its stream waited for, once it was launched") {
  Launched job;
  const TrackId stream = job.stream(7);
  job.kernel(stream, Stage::kOTHER, 0, 100, -50, -40);
  job.kernel(stream, Stage::kDISPATCH, 100, 300, -30, -20);
  job.kernel(stream, Stage::kL1, 310, 400, 140, 150);  // launched 50 into the exchange: 150 to 300 blocked it
  job.kernel(stream, Stage::kCOMBINE, 400, 500, 160, 170);
  const Waiting waiting = waiting_of(job.finish());  // nothing computes behind the combine
  // Half of the exposed time has no compute behind it; that is no other stream's.
  CHECK_FALSE(waiting.blocking);

  Launched ends;
  const TrackId same = ends.stream(7);
  ends.kernel(same, Stage::kOTHER, 0, 100, -50, -40);
  ends.kernel(same, Stage::kDISPATCH, 100, 300, -30, -20);
  ends.kernel(same, Stage::kL1, 310, 400, 140, 150);
  const Waiting known = waiting_of(ends.finish());
  REQUIRE(known.blocking);
  CHECK(*known.blocking == 150);
}

TEST_CASE("communication on a stream of its own: what waits for it is not known") {
  Launched job;
  const TrackId compute = job.stream(7), comm = job.stream(20);
  job.kernel(compute, Stage::kOTHER, 0, 100, -50, -40);
  job.kernel(comm, Stage::kDISPATCH, 100, 300, -30, -20);
  job.kernel(compute, Stage::kL1, 300, 400, -15, -10);
  const Waiting waiting = waiting_of(job.finish());
  REQUIRE_FALSE(waiting.blocking);
  CHECK(waiting.blocking.reason().find("100 % of exposed communication is on other streams") == 0);
}

TEST_CASE("exchanges in two halves: found by their number, in flight between them, and said to be") {
  Launched job;
  const TrackId stream = job.stream(7);
  Ns t = 0;
  const auto next = [&](Stage stage, Ns length) {
    job.kernel(stream, stage, t, t + length, t - 100, t - 90);
    t += length + 1;
  };
  for (int layer = 0; layer < 6; ++layer) {
    next(Stage::kDISPATCH, 10);  // sends
    next(Stage::kOTHER, 50);
    next(Stage::kDISPATCH, 5);  // receives
    next(Stage::kL1, 30);
    next(Stage::kACT, 4);
    next(Stage::kL2, 30);
    next(Stage::kCOMBINE, 10);
    next(Stage::kOTHER, 40);
    next(Stage::kCOMBINE, 5);
  }
  const Trace trace = job.finish();
  const Waiting waiting = waiting_of(trace);
  REQUIRE(waiting.split.found);
  CHECK(waiting.split.pairs == 12);
  // Between the halves: the compute and the nanosecond on either side of it.
  CHECK(waiting.split.in_flight.measure() == 6 * (52 + 42));
  CHECK(waiting.split.under_compute == 6 * (50 + 40));
  REQUIRE(waiting.idle);
  CHECK(waiting.idle->waiting_comm == 6 * 4);  // idle in flight; the launches were in time
  CHECK(waiting.idle->total() == 6 * 9 - 1);

  // As many dispatches as activations: whole exchanges.
  Launched whole;
  const TrackId one = whole.stream(7);
  for (int layer = 0; layer < 6; ++layer) {
    const Ns at = layer * 100;
    whole.kernel(one, Stage::kDISPATCH, at, at + 10, at - 20, at - 15);
    whole.kernel(one, Stage::kACT, at + 20, at + 30, at - 14, at - 13);
    whole.kernel(one, Stage::kCOMBINE, at + 40, at + 50, at - 12, at - 11);
  }
  CHECK_FALSE(waiting_of(whole.finish()).split.found);
}

TEST_CASE("token exchange beside reductions: time together, and how much longer each takes") {
  Launched job;
  const TrackId exchange = job.stream(1), reduce = job.stream(2);
  Ns t = 0;
  for (int i = 0; i < 5; ++i) {  // alone: 100 and 40
    job.kernel(exchange, Stage::kDISPATCH, t, t + 100, 0, 0, "dispatch", 7);
    job.kernel(reduce, Stage::kALLREDUCE, t + 200, t + 240, 0, 0, "ring", 9);
    t += 300;
  }
  for (int i = 0; i < 4; ++i) {  // together: 150 and 120
    job.kernel(exchange, Stage::kDISPATCH, t, t + 150, 0, 0, "dispatch", 7);
    job.kernel(reduce, Stage::kALLREDUCE, t + 10, t + 130, 0, 0, "ring", 9);
    t += 300;
  }
  // Other work, twice as long by itself: not compared with the rest.
  for (int i = 0; i < 4; ++i) {
    t += 500;
    job.kernel(exchange, Stage::kDISPATCH, t, t + 400, 0, 0, "dispatch", 100);
  }
  const CommContention contention = waiting_of(job.finish()).contention;
  CHECK(contention.together == 4 * 120);
  REQUIRE(contention.exchange);
  CHECK(contention.exchange->ratio == Approx(1.5));
  CHECK(contention.exchange->under == 4);
  CHECK(contention.exchange->alone == 5);
  REQUIRE(contention.reduction);
  CHECK(contention.reduction->ratio == Approx(3));

  Launched few;
  const TrackId a = few.stream(1), b = few.stream(2);
  few.kernel(a, Stage::kDISPATCH, 0, 100);
  few.kernel(b, Stage::kALLREDUCE, 50, 150);
  const CommContention unknown = waiting_of(few.finish()).contention;
  CHECK(unknown.together == 50);
  CHECK(unknown.exchange.reason().find("needs 3 instances") == 0);
}

TEST_CASE("a whole graph launch is busy time, and makes what hides what unknown") {
  Launched job;
  const TrackId stream = job.stream(7);
  job.kernel(stream, Stage::kDISPATCH, 0, 100, -20, -10);
  job.kernel(stream, Stage::kUNATTRIBUTED, 120, 220, 90, 95, "graph", -1, SpanKind::kGRAPH);
  const Trace trace = job.finish();
  const Analysis analysis = analyze(trace, as_said(trace), {});
  const auto at = [&](const char* id) { return evaluate(*find_metric(Grain::kRank, id), analysis, 0); };
  CHECK(*at("busy_ns") == 200);
  CHECK(*at("idle_ns") == 20);
  for (const char* id : {"exposed_ns", "hidden_fraction"}) {
    CAPTURE(id);
    CHECK_FALSE(evaluate(*find_metric(Grain::kStage, id), analysis, 0));
  }
  CHECK(*evaluate(*find_metric(Grain::kStage, "time_ns"), analysis, 0) == 100);
  for (const char* id : {"compute_ns", "comm_ns", "exposed_comm_ns", "hidden_fraction", "blocking_comm_ns"}) {
    CAPTURE(id);
    REQUIRE_FALSE(at(id));
    CHECK(at(id).reason().find("CUDA graphs that were recorded as a whole") != std::string::npos);
  }
}

TEST_CASE("kernels that exchange and compute at once: their communication is unknown, their time is compute") {
  Launched job;
  const TrackId stream = job.stream(7);
  job.kernel(stream, Stage::kL1, 0, 100, -20, -10);
  const Trace trace = job.finish();
  Attribution said = as_said(trace);
  for (std::size_t row = 0; row < trace.spans.size(); ++row)
    if (said.stage[row] == Stage::kL1) said.stages[row] = StageSet(Stage::kDISPATCH) | Stage::kL1;
  const Analysis analysis = analyze(trace, said, {});
  CHECK(*evaluate(*find_metric(Grain::kRank, "compute_ns"), analysis, 0) == 100);
  CHECK(
      evaluate(*find_metric(Grain::kRank, "hidden_fraction"), analysis, 0).reason().find("a trace from inside them") !=
      std::string::npos);
}

TEST_CASE("random timelines: every figure is what asking each nanosecond gives") {
  std::mt19937 random(5);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 300; ++round) {
    Launched job;
    struct Kernel {
      int stream;
      Stage stage;
      Ns begin, end, launch_begin, launch_end;
    };
    std::vector<Kernel> kernels;
    for (int stream = 0; stream < draw(1, 3); ++stream) {
      const TrackId track = job.stream(stream);
      Ns t = draw(0, 30);
      for (int i = 0; i < draw(1, 12); ++i) {
        const Stage stages[] = {Stage::kL1, Stage::kOTHER, Stage::kDISPATCH, Stage::kALLREDUCE};
        Kernel k{stream, stages[draw(0, 3)], t, t + draw(1, 25), 0, 0};
        if (draw(0, 9) > 0) {
          k.launch_begin = k.begin - draw(1, 40);
          k.launch_end = k.launch_begin + draw(1, 5);
        }
        job.kernel(track, k.stage, k.begin, k.end, k.launch_begin, k.launch_end);
        kernels.push_back(k);
        t = k.end + (draw(0, 2) == 0 ? 0 : draw(0, 20));
      }
    }
    const Trace trace = job.finish();
    const Waiting waiting = waiting_of(trace);
    Ns first = kernels[0].begin, last = 0;
    bool any_launch = false;
    for (const Kernel& k : kernels) {
      first = std::min(first, k.begin);
      last = std::max(last, k.end);
      any_launch = any_launch || k.launch_end > k.launch_begin;
    }
    const auto running = [&](Ns t, auto wanted) {
      return std::any_of(kernels.begin(), kernels.end(),
                         [&](const Kernel& k) { return k.begin <= t && t < k.end && wanted(k); });
    };
    const auto all = [](const Kernel&) { return true; };
    Ns starved = 0, dependency = 0, other = 0, exchange_and_reduce = 0;
    for (Ns t = first; t < last; ++t) {
      exchange_and_reduce += running(t, [](const Kernel& k) { return k.stage == Stage::kDISPATCH; }) &&
                             running(t, [](const Kernel& k) { return k.stage == Stage::kALLREDUCE; });
      if (running(t, all)) continue;
      Ns begin = t, end = t;
      while (!running(begin - 1, all)) --begin;
      while (!running(end, all)) ++end;
      const Kernel* next = nullptr;
      for (const Kernel& k : kernels)
        if (k.begin == end && (next == nullptr || k.stream < next->stream)) next = &k;
      if (next->launch_end <= next->launch_begin)
        ++other;
      else if (next->launch_begin >= begin && t < next->launch_end + kLaunchLatency)
        ++starved;
      else
        ++dependency;
    }
    CHECK(waiting.contention.together == exchange_and_reduce);
    if (!any_launch && starved + dependency + other > 0) {
      CHECK_FALSE(waiting.idle);
      continue;
    }
    REQUIRE(waiting.idle);
    CHECK(waiting.idle->launch_starved == starved);
    CHECK(waiting.idle->dependency == dependency);
    CHECK(waiting.idle->other == other);
    CHECK(waiting.idle->waiting_comm == 0);
    if (!waiting.blocking) continue;
    // Never more than the exposed time.
    Ns exposed = 0;
    for (Ns t = first; t < last; ++t) {
      const auto comm = [](const Kernel& k) { return k.stage == Stage::kDISPATCH || k.stage == Stage::kALLREDUCE; };
      exposed += running(t, comm) && !running(t, [&](const Kernel& k) { return !comm(k); });
    }
    CHECK(*waiting.blocking <= exposed);
  }
}

TEST_CASE("passes and waves: each one's own communication under the whole device's compute") {
  HandTrace job;
  const TrackId link = job.lane(0), compute = job.lane(0);
  const auto traits = [](Pass pass, int wave) {
    WorkTraits t;
    t.pass = pass;
    t.wave = wave;
    return t;
  };
  job.work(link, Stage::kDISPATCH, 0, 100, traits(Pass::kFORWARD, 0));
  job.work(compute, Stage::kL1, 60, 160, traits(Pass::kFORWARD, 0));
  job.work(link, Stage::kDISPATCH, 100, 180, traits(Pass::kFORWARD, 1));
  job.work(link, Stage::kCOMBINE, 200, 260, traits(Pass::kBACKWARD, 0));
  const Trace trace = job.finish();
  const Analysis analysis = analyze(trace, as_said(trace), {});
  const auto at = [&](Grain grain, const char* id, std::size_t row) {
    return *evaluate(*find_metric(grain, id), analysis, row);
  };
  REQUIRE(row_count(analysis, Grain::kPass) == 2);
  CHECK(at(Grain::kPass, "comm_ns", 0) == 180);
  CHECK(at(Grain::kPass, "exposed_comm_ns", 0) == 60 + 20);
  CHECK(at(Grain::kPass, "exposed_comm_ns", 1) == 60);
  CHECK(at(Grain::kPass, "hidden_fraction", 1) == 0);
  REQUIRE(row_count(analysis, Grain::kWave) == 2);
  CHECK(at(Grain::kWave, "comm_ns", 0) == 160);
  CHECK(at(Grain::kWave, "exposed_comm_ns", 0) == 60 + 60);
  CHECK(at(Grain::kWave, "hidden_fraction", 1) == Approx(0.75));
  CHECK(at(Grain::kWave, "expert_compute_ns", 0) == 100);
}

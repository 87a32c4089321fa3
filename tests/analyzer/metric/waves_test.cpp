// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/device_figures.h"
#include "analyzer/metric/layer_table.h"
#include "analyzer/metric/metrics.h"
#include "analyzer/metric/wave_summary.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

namespace {
// W waves, each 10 ns of dispatch, 20 of l1, 10 of combine; the link and the compute lane each do one thing at a time.
// Dispatches run back to back; combine w follows l1 w and all dispatches.
Trace waves(int count, bool marked) {
  HandTrace trace;
  const TrackId lane = trace.lane(0), link = trace.lane(0);
  Ns compute_free = 0, link_free = 10 * count;
  for (int w = 0; w < count; ++w) {
    const WorkTraits traits{.step = 0, .layer = 3, .wave = marked ? w : -1};
    trace.work(link, Stage::kDISPATCH, 10 * w, 10 * w + 10, traits);
    const Ns begin = std::max<Ns>(compute_free, 10 * w + 10);
    compute_free = begin + 20;
    trace.work(lane, Stage::kL1, begin, compute_free, traits);
    const Ns back = std::max(link_free, compute_free);
    link_free = back + 10;
    trace.work(link, Stage::kCOMBINE, back, link_free, traits);
  }
  return trace.finish();
}
}  // namespace

TEST_CASE("waves: count, depth, fill and drain of a pipelined layer") {
  const Trace trace = waves(4, true);
  const Analysis analysis = analyze(trace, as_said(trace), {});
  CHECK(*analysis.waves.count_per_layer == 4);
  // By hand: wave w is in flight from 10 w to its combine's end: 0-50, 10-60, 20-80, 30-100.
  CHECK(*analysis.waves.depth == 4);
  CHECK(*analysis.waves.fill_ns[0] == 10);
  CHECK(*analysis.waves.drain_ns[0] == 10);
  CHECK(analysis.waves.schedule == ScheduleGuess::kWave);
  REQUIRE(analysis.layers.size() == 1);
  CHECK(analysis.layers[0].layer == LayerId(3));
  CHECK(analysis.layers[0].cells[0]->exposure.exposed == 20);  // before the first and after the last l1
}

TEST_CASE("waves: without marks there is no count; a serial layer looks naive, an overlapped one unknown") {
  const Trace serial = waves(1, false);
  const Analysis naive = analyze(serial, as_said(serial), {});
  CHECK(naive.waves.schedule == ScheduleGuess::kNaive);
  REQUIRE_FALSE(naive.waves.count_per_layer);
  CHECK(naive.waves.count_per_layer.reason() == "no work is marked with a wave");
  CHECK(*naive.waves.fill_ns[0] == 10);
  const Trace hidden = waves(4, false);
  CHECK(analyze(hidden, as_said(hidden), {}).waves.schedule == ScheduleGuess::kUnknown);
}

TEST_CASE("waves: one that ends as the next begins is not in flight with it") {
  HandTrace trace;
  const TrackId lane = trace.lane(0);
  for (int w = 0; w < 3; ++w) {
    trace.work(lane, Stage::kDISPATCH, 100 * w, 100 * w + 50, {.layer = 0, .wave = w});
    trace.work(lane, Stage::kL1, 100 * w + 50, 100 * w + 100, {.layer = 0, .wave = w});
  }
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  CHECK(*analysis.waves.depth == 1);
  CHECK(analysis.waves.schedule == ScheduleGuess::kUnknown);  // cut into waves, yet nothing overlaps
}

TEST_CASE("layers use the role of work: dispatch's backward runs as combine") {
  HandTrace trace;
  const TrackId lane = trace.lane(0);
  trace.work(lane, Stage::kCOMBINE, 0, 10, {.pass = Pass::kBACKWARD, .layer = 1, .role = Stage::kDISPATCH});
  trace.work(lane, Stage::kL1, 10, 30, {.pass = Pass::kBACKWARD, .layer = 1});
  const Trace done = trace.finish();
  const Attribution said = as_said(done);
  const Selection selection = select(done, said, {});
  const auto instances = all_device_figures(work_of(done, said, selection, Definition::kMoescope))[0].instances;
  REQUIRE(instances.size() == 1);
  CHECK(instances[0].payload == 10);
  CHECK(instances[0].fill() == 10);
  CHECK(instances[0].drain() == 0);
}

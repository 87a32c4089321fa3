// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/comm_bound.h"

#include <cmath>

#include "analyzer/metric/analysis.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

namespace {
constexpr double kPro = 3072, kFlash = 2048;  // expert intermediate widths of DeepSeek-V4

BoundShape shape(double d, double dispatch, double combine, double matrices = 3) {
  BoundShape shape;
  shape.matrices = matrices;
  shape.intermediate = d;
  shape.dispatch_bytes = dispatch;
  shape.combine_bytes = combine;
  return shape;
}
}  // namespace

TEST_CASE("bound: the published table of wire formats, rounded as it is printed") {
  struct Row {
    double dispatch, combine, matrices, pro, flash;
  };
  const Row rows[] = {
      {1, 2, 3, 6144, 4096},              // FP8 out, BF16 back: 2d
      {1 + 1.0 / 32, 2, 3, 6081, 4054},   // FP8 with a scale byte per 32
      {1 + 4.0 / 128, 2, 3, 6081, 4054},  // FP8 with an FP32 scale per 128
      {2, 2, 3, 4608, 3072},              // BF16 both ways: 1.5d
      {1 + 1.0 / 32, 1 + 1.0 / 32, 3, 8937, 5958},
      {0.5 + 1.0 / 16, 2, 3, 7193, 4795},                 // NVFP4 out
      {0.5 + 1.0 / 16, 0.5 + 2.0 / 16, 3, 15522, 10348},  // NVFP4 out, FP4 with BF16 scales back
      {1, 2, 2, 4096, 2731},                              // not gated: 4d/3
  };
  for (const Row& row : rows) {
    CHECK(std::round(flops_per_byte_bound(shape(kPro, row.dispatch, row.combine, row.matrices))) == row.pro);
    CHECK(std::round(flops_per_byte_bound(shape(kFlash, row.dispatch, row.combine, row.matrices))) == row.flash);
  }
}

TEST_CASE("bound: experts on the own rank need no wire") {
  const std::pair<int, std::pair<double, double>> rows[] = {
      {8, {7022, 4681}}, {16, {6554, 4369}}, {32, {6342, 4228}}, {64, {6242, 4161}}};
  for (const auto& [ranks, expected] : rows) {
    for (const auto& [d, bound] : {std::pair{kPro, expected.first}, {kFlash, expected.second}}) {
      BoundShape one = shape(d, 1, 2);
      one.remote_fraction = 1 - 1.0 / ranks;
      CHECK(std::round(flops_per_byte_bound(one)) == bound);
    }
  }
}

TEST_CASE("bound: one copy a rank, fan-out limits, shared experts, backward") {
  // Brute force over all draws of 2 of 6 experts on 3 ranks: 3 of 15 pairs share a rank.
  CHECK(shared_copies(6, 3, 2) == Approx((3 * 1 + 12 * 2) / 15.0 / 2));
  const std::pair<int, double> table[] = {{8, 0.74}, {16, 0.86}, {32, 0.93}, {64, 0.97}};
  for (const auto& [ranks, copies] : table) CHECK(shared_copies(384, ranks, 6) == Approx(copies).margin(0.005));
  BoundShape one = shape(kPro, 1, 2);
  one.remote_fraction = 7.0 / 8;
  one.dispatch_copies = shared_copies(384, 8, 6);
  CHECK(flops_per_byte_bound(one) == Approx(7693).epsilon(0.001));
  one.combine_copies = one.dispatch_copies;
  CHECK(flops_per_byte_bound(one) == Approx(9511).epsilon(0.001));

  BoundShape limited = shape(2048, 1, 2);  // V3: top-8, at most 4 nodes, reduced per node
  limited.dispatch_copies = limited.combine_copies = 4.0 / 8;
  CHECK(flops_per_byte_bound(limited) == Approx(8192));

  BoundShape shared = shape(kPro, 1, 2);
  shared.flops_factor = 7.0 / 6;  // one shared expert beside top-6
  CHECK(flops_per_byte_bound(shared) == Approx(7168));

  BoundShape backward = shape(kPro, 2, 2);
  backward.flops_factor = 2;
  CHECK(flops_per_byte_bound(backward) == Approx(3 * kPro));  // 12hd / 4h
}

TEST_CASE("headroom: the published hardware table") {
  struct Row {
    double tflops, gb_s, ratio, pro, flash, wire;
  };
  const Row rows[] = {
      {1979, 450, 4398, 1.40, 0.93, 3}, {989, 450, 2198, 2.10, 1.40, 4},  {296, 450, 658, 9.3, 6.2, 3},
      {1979, 200, 9895, 0.62, 0.41, 3}, {4500, 900, 5000, 1.23, 0.82, 3}, {9000, 900, 10000, 0.61, 0.41, 3},
  };
  for (const Row& row : rows) {
    const double ratio = row.tflops * 1e12 / (row.gb_s * 1e9);
    CHECK(std::round(ratio) == Approx(row.ratio).margin(0.6));
    const double digit = row.pro > 5 ? 0.05 : 0.0051;
    CHECK(flops_per_byte_bound(shape(kPro, row.wire - 2, 2)) / ratio == Approx(row.pro).margin(digit));
    CHECK(flops_per_byte_bound(shape(kFlash, row.wire - 2, 2)) / ratio == Approx(row.flash).margin(digit));
  }
}

namespace {
// A balanced layer of `ranks`, P pairs a rank, FP8 out and BF16 back: T_comp = 400 ns, T_comm = 100 + 200 ns.
Trace balanced(int ranks, double pairs, double h, double d) {
  HandTrace trace(ClockKind::kVIRTUAL);
  const double remote = 1 - 1.0 / ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    const TrackId lane = trace.lane(rank), link = trace.lane(rank);
    trace.work(link, Stage::kDISPATCH, 0, 100,
               {.step = 0, .layer = 0, .bytes = static_cast<std::int64_t>(pairs * remote * h)});
    trace.work(lane, Stage::kL1, 100, 350, {.step = 0, .layer = 0, .flops = 4 * h * d * pairs});
    trace.work(lane, Stage::kACT, 350, 400, {.step = 0, .layer = 0});
    trace.work(lane, Stage::kL2, 400, 500, {.step = 0, .layer = 0, .flops = 2 * h * d * pairs});
    trace.work(link, Stage::kCOMBINE, 500, 700,
               {.step = 0, .layer = 0, .bytes = static_cast<std::int64_t>(pairs * remote * 2 * h)});
    Device device;
    device.key = {RankId(rank), 0};
    device.peak_flops = 1979e12;
    device.link_gb_s = 450;
    device.link_kind = LinkKind::kNVLINK;
    trace.builder().device(device);
  }
  Model model;
  model.hidden = static_cast<std::int32_t>(h);
  model.intermediate = static_cast<std::int32_t>(d);
  model.gated = 1;
  model.dispatch_bytes_per_element = 1;
  model.combine_bytes_per_element = 2;
  trace.raw().model = model;
  std::vector<std::int32_t> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  trace.raw().comm_groups.push_back({GroupKind::kEP, "ep", all});
  return trace.finish();
}
}  // namespace

TEST_CASE("bound of a run: headroom achieved = compute time over transfer time, and FLOPs a byte agree with theory") {
  const Trace trace = balanced(4, 1000, 64, 96);
  const Analysis analysis = analyze(trace, as_said(trace), {});
  REQUIRE(analysis.bounds.size() == 1);
  const CommBound& bound = analysis.bounds[0];
  CHECK(bound.pass == Pass::kFORWARD);
  CHECK(*bound.tier == "nvlink");
  CHECK(*bound.flops_per_byte_bound == Approx(2 * 96 / 0.75));
  CHECK(bound.remote_fraction_source == "uniform routing over 4 ranks");
  CHECK(*bound.flops_per_byte_measured == Approx(*bound.flops_per_byte_bound));
  CHECK(*bound.headroom_achieved == Approx(400.0 / 300));
  CHECK(*bound.headroom_achieved == Approx(*bound.flops_per_byte_measured / *bound.compute_to_bandwidth_achieved));
  CHECK(*bound.compute_to_bandwidth_peak == Approx(1979e12 / 450e9));
  CHECK(*bound.headroom_peak == Approx(2 * 96 / 0.75 / (1979e12 / 450e9)));
  CHECK(*bound.overlap_ceiling == 1);
  CHECK(bound.overlap_ceiling_basis == "achieved");
  CHECK_FALSE(bound.includes_wait);  // nothing waits unseen on a virtual clock
  CHECK(*bound.min_exposed_ns[0] == 0);
}

TEST_CASE("bound of a run: least exposed communication is what transfer lasts beyond compute, layer by layer") {
  HandTrace trace;
  const TrackId lane = trace.lane(0), link = trace.lane(0);
  for (int step = 0; step < 2; ++step)
    for (int layer = 0; layer < 2; ++layer) {
      const Ns at = 10000 * step + 1000 * layer, transfer = layer == 0 ? 300 : 80;
      trace.work(link, Stage::kDISPATCH, at, at + transfer, {.step = step, .layer = layer});
      trace.work(link, Stage::kDISPATCH, at + 500, at + 600, {.step = step, .layer = layer, .part = Part::kSYNC});
      trace.work(lane, Stage::kL1, at + transfer, at + transfer + 100, {.step = step, .layer = layer});
    }
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  REQUIRE(analysis.bounds.size() == 1);
  CHECK(*analysis.bounds[0].min_exposed_ns[0] == 200);  // layer 0 only, each step; waiting is no transfer
  CHECK(*analysis.bounds[0].headroom_achieved == Approx(200.0 / 380));
  CHECK(analysis.bounds[0].includes_wait);
}

TEST_CASE("bound of a run: the busier direction of peer traffic counts") {
  HandTrace trace;
  for (int rank = 0; rank < 2; ++rank) {
    trace.work(trace.lane(rank), Stage::kL1, 100, 200, {.step = 0, .layer = 0, .flops = 1e6});
    trace.work(trace.lane(rank), Stage::kDISPATCH, 0, 100, {.step = 0, .layer = 0});
  }
  const auto traffic = [&trace](int from, int to, std::int64_t bytes) {
    trace.raw().peer_traffic.push_back({StepId(0), LayerId(0), MicroBatchId(), WaveId(), Stage::kDISPATCH,
                                        Pass::kFORWARD, RankId(from), RankId(to), bytes});
  };
  traffic(0, 1, 4000);
  traffic(1, 0, 1000);
  traffic(0, 0, 999999);  // stayed local
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  CHECK(*analysis.bounds[0].flops_per_byte_measured == Approx(1e6 / 4000));  // 4000 out of one is 4000 into the other
}

TEST_CASE("bound of a run: abstains where shape, wire format or hardware is not in the record") {
  HandTrace trace;
  trace.work(trace.lane(0), Stage::kDISPATCH, 0, 10);
  trace.work(trace.lane(0), Stage::kL1, 10, 20);
  trace.work(trace.lane(0), Stage::kCOMBINE, 20, 30, {.pass = Pass::kBACKWARD});
  const Trace done = trace.finish();
  const Analysis analysis = analyze(done, as_said(done), {});
  REQUIRE(analysis.bounds.size() == 2);
  CHECK(analysis.bounds[0].flops_per_byte_bound.reason() ==
        "the model's shape is not in the record: annotate it with moescope_model");
  CHECK(*analysis.bounds[0].headroom_achieved == 1);  // times are there
  CHECK(analysis.bounds[0].compute_to_bandwidth_achieved.reason() ==
        "FLOPs of the expert stages are not in the record");
  CHECK(analysis.bounds[1].flops_per_byte_bound.reason() ==
        "the wire formats of the backward pass are not in the record");
  CHECK_FALSE(analysis.bounds[1].headroom_achieved);
}

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/router_balance.h"

#include <cmath>
#include <random>

#include "analyzer/metric/analysis.h"
#include "analyzer/metric/load_balance.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

TEST_CASE("evenness: closed forms of the even and the one-sided load") {
  for (const std::size_t n : {2u, 8u, 256u}) {
    const double size = static_cast<double>(n);
    const std::vector<double> even(n, 3.0);
    std::vector<double> one(n, 0.0);
    one[n / 2] = 17;
    CHECK(max_over_mean(even) == Approx(1));
    CHECK(coefficient_of_variation(even) == Approx(0).margin(1e-12));
    CHECK(gini(even) == Approx(0).margin(1e-12));
    CHECK(entropy_normalised(even) == Approx(1));
    CHECK(max_over_mean(one) == Approx(size));
    CHECK(coefficient_of_variation(one) == Approx(std::sqrt(size - 1)));
    CHECK(gini(one) == Approx((size - 1) / size));
    CHECK(entropy_normalised(one) == Approx(0).margin(1e-12));
  }
  // Two experts share evenly among n: entropy is log 2 / log n.
  std::vector<double> two(16, 0.0);
  two[3] = two[9] = 5;
  CHECK(entropy_normalised(two) == Approx(0.25));
}

TEST_CASE("Gini equals the mean absolute difference of all pairs over twice the mean") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> loads(1 + random() % 40);
    for (double& load : loads) load = static_cast<double>(random() % 100);
    loads[0] += 1;  // not all zero
    double pairs = 0, sum = 0;
    for (const double a : loads) {
      sum += a;
      for (const double b : loads) pairs += std::fabs(a - b);
    }
    const double n = static_cast<double>(loads.size());
    CHECK(gini(loads) == Approx(pairs / (2 * n * sum)).margin(1e-12));
  }
}

TEST_CASE("router: experts, ranks, drops and dead experts of two layers; a layer without tokens is left out") {
  HandTrace trace;
  for (int rank = 0; rank < 2; ++rank) trace.work(trace.lane(rank), Stage::kL1, 0, 10, {.step = 0, .layer = 0});
  // Layer 0: experts 0..3 get 6 2 4 0 (of 4 dropped); rank 0 hosts 0 and 1. Layer 1: 1 1 1 1. Layer 2: nothing.
  trace.load(0, 0, 0, 0, 10, 6);
  trace.load(0, 0, 0, 1, 2, 2);
  trace.load(0, 0, 1, 2, 4, 4);
  trace.load(0, 0, 1, 3, 0, 0);
  for (int expert = 0; expert < 4; ++expert) {
    trace.load(0, 1, expert / 2, expert, 1, 1);
    trace.load(0, 2, expert / 2, expert, 0, 0);
  }
  const Trace done = trace.finish();
  const RouterBalance router = analyze(done, as_said(done), {}).router;
  REQUIRE(router.layers.size() == 2);
  CHECK(router.instances_without_tokens == 1);
  const RouterLayer& first = router.layers[0];
  CHECK(*first.max_over_mean == Approx(2));             // 6 / 3
  CHECK(*first.cv == Approx(std::sqrt(20.0 / 4) / 3));  // deviations 3 -1 1 -3
  CHECK(*first.gini == Approx(2.0 * (1 * 0 + 2 * 2 + 3 * 4 + 4 * 6) / (4 * 12) - 5.0 / 4));
  CHECK(*first.entropy_normalised ==
        Approx(-(0.5 * std::log(0.5) + std::log(1.0 / 6) / 6 + std::log(1.0 / 3) / 3) / std::log(4.0)));
  CHECK(*first.dead_experts == 1);
  CHECK(*first.dropped_fraction == Approx(4.0 / 16));
  CHECK(*router.dropped_fraction == Approx(4.0 / 20));
  // Rank loads 8 4 (mean 6, max 8) and 2 2.
  CHECK(*router.ranks_max_over_mean == Approx((8.0 / 6 + 1) / 2));
  CHECK(*router.balancedness_sglang == Approx(((6 + 1e-5) / (8 + 1e-5) + 1) / 2));
  CHECK(*router.balancedness_vllm == Approx((6.0 + 2) / (8 + 2)));
}

TEST_CASE("router: counts of some ranks only say nothing about experts") {
  HandTrace trace;
  trace.work(trace.lane(0), Stage::kL1, 0, 10);
  trace.load(0, 0, 0, 0, 10, 10);
  trace.raw().comm_groups.push_back({GroupKind::kEP, "ep", {0, 1, 2, 3}});
  const Trace done = trace.finish();
  const RouterBalance router = analyze(done, as_said(done), {}).router;
  CHECK(router.layers.empty());
  REQUIRE_FALSE(router.ranks_max_over_mean);
  CHECK(router.ranks_max_over_mean.reason() == "router counts of 1 of 4 ranks: record the others too");
}

TEST_CASE("stragglers: each layer's slowest rank less the mean, summed over layers, a step") {
  HandTrace trace;
  const Ns times[2][2][3] = {{{10, 20, 30}, {5, 5, 5}}, {{40, 10, 10}, {7, 1, 1}}};  // step, layer, rank
  for (int rank = 0; rank < 3; ++rank) {
    const TrackId lane = trace.lane(rank);
    for (int step = 0; step < 2; ++step)
      for (int layer = 0; layer < 2; ++layer) {
        const Ns at = 1000 * step + 100 * layer;
        trace.work(lane, Stage::kL1, at, at + times[step][layer][rank], {.step = step, .layer = layer});
      }
  }
  const Trace done = trace.finish();
  // (30 - 20) + 0 in step 0; (40 - 20) + (7 - 3) in step 1.
  CHECK(*analyze(done, as_said(done), {}).router.straggler_ns == Approx((10 + 24) / 2.0));
}

TEST_CASE("router: a placement that numbers its layers otherwise is taken in order, where as many have tokens") {
  // Counts of layers 3 and 4, with an empty layer 0; experts 0 and 1 in one layer on rank 0, in the other swapped.
  const auto balance = [](int placed_layers) {
    TraceBuilder builder;
    SourceFile file;
    file.format = "router";
    builder.trace().files.push_back(file);
    for (int layer : {0, 3, 4})
      for (int expert = 0; expert < 2; ++expert) {
        RouterLoad load;
        load.layer = LayerId(layer);
        load.expert = ExpertId(expert);
        load.assigned = load.kept = layer == 0 ? 0 : layer == 3 ? 10 + 20 * expert : 8;
        builder.trace().router_loads.push_back(load);
      }
    for (int layer = 0; layer < placed_layers; ++layer)
      for (int expert = 0; expert < 2; ++expert) {
        ExpertPlacement one;
        one.layer = layer;
        one.physical = one.logical = expert;
        one.rank = RankId(expert ^ layer);
        builder.trace().expert_placements.push_back(one);
      }
    const Trace done = builder.finish();
    return analyze(done, attribute(done), {}).router;
  };
  const RouterBalance two = balance(2);
  CHECK(two.placement_in_order);
  REQUIRE(two.ranks_max_over_mean);
  CHECK(*two.ranks_max_over_mean == Approx((30.0 / 20 + 1) / 2));
  const RouterBalance three = balance(3);  // which of them belong together nobody knows
  CHECK_FALSE(three.placement_in_order);
  CHECK_FALSE(three.ranks_max_over_mean);
}

// SPDX-License-Identifier: Apache-2.0
// The simulator against closed forms, against published worked examples, and against every other order of the same
// work.
#include "reference_kernels/virtual_backend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reference_kernels/cost_model.h"
#include "reference_kernels/schedule/schedules.h"
#include "reference_kernels/time_bounds.h"
#include "tests/reference_kernels/random_cases.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;

namespace {

constexpr double kMs = 1e3;  // in us
constexpr StageTimes kExample{1 * kMs, 2 * kMs, 0.3 * kMs, 1 * kMs, 2 * kMs};
constexpr StageTimes kLinkBound{2 * kMs, 2 * kMs, 0.3 * kMs, 1 * kMs, 4 * kMs};
constexpr Overheads kOverheads{60, 10, 20};
constexpr StageTimes kFigure5{1249, 3550, 1152, 1775, 2498};

StepPlan layers_in_turn(const AnySchedule& schedule, int layers, int workers = 1) {
  StepShape shape;
  shape.layers = layers;
  shape.compute_workers = workers;
  return StepPlan(schedule, shape);
}
double wave_ms(const StageTimes& times, int waves, const Overheads& overheads = {},
               const EngineMap& engines = kLinkCompute) {
  const Durations durations = durations_of(times, Tiling::waves(waves, waves), overheads, 1);
  return simulated_makespan_ns(WaveSchedule{{waves, waves}, 0, engines}, durations, overheads.latency_us * 1e3) / 1e6;
}
double naive_ms(const StageTimes& times, const Overheads& overheads = {}) {
  const Durations durations = durations_of(times, Tiling::whole(1), overheads, 1);
  return simulated_makespan_ns(NaiveSchedule{}, durations, overheads.latency_us * 1e3) / 1e6;
}

double comet_ms(const StageTimes& times, int chunks, const Overheads& overheads = {},
                const EngineMap& engines = kLinkCompute) {
  ScheduleCut cut;
  cut.chunks = chunks;
  const Durations durations = durations_of(times, Tiling("comet", cut), overheads, 1);
  return simulated_makespan_ns(CometSchedule{chunks, engines}, durations, overheads.latency_us * 1e3) / 1e6;
}
// Both halves of Comet with K chunks.
double comet_form_us(const StageTimes& t, int chunks, const Overheads& o) {
  const double k = chunks, lam = o.latency_us;
  const double d = o.link_us + t.dispatch_us / k, c = o.link_us + t.combine_us / k;
  const double l1 = o.alpha_us + t.l1_us / k, l2 = o.alpha_us + t.l2_us / k;
  return std::max(k * d + lam + l1, d + lam + k * l1) + t.act_us + std::max(k * l2 + c, l2 + k * c) + lam;
}

// T(W) of equal waves: the largest of four lower bounds.
double closed_form_us(const StageTimes& t, int waves, const Overheads& o) {
  const double w = waves, lam = o.latency_us;
  const double d = o.link_us + t.dispatch_us / w, c = o.link_us + t.combine_us / w;
  const double g = o.alpha_us + (t.l1_us + t.act_us + t.l2_us) / w;
  return std::max({w * (d + c) + lam, d + w * g + c + 2 * lam, w * d + g + c + 2 * lam, d + g + w * c + 2 * lam});
}

}  // namespace

TEST_CASE("worked example: naive and waves") {
  CHECK(naive_ms(kExample) == Approx(6.3).epsilon(1e-9));
  const std::vector<std::pair<int, double>> expected{{1, 6.3}, {2, 4.8},   {3, 4.3},    {4, 4.05},
                                                     {6, 3.8}, {8, 3.675}, {16, 3.4875}};
  for (const auto& [waves, ms] : expected) CHECK(wave_ms(kExample, waves) == Approx(ms).epsilon(1e-9));
  CHECK(wave_ms(kExample, 2'000'000) == Approx(3.3).epsilon(1e-6));  // the limit is G
  CHECK(naive_ms(kExample) / wave_ms(kExample, 4) == Approx(6.3 / 4.05).epsilon(1e-9));
  // Exposed communication: compute idles for T - G = (D + C) / W.
  CHECK(wave_ms(kExample, 4) - 3.3 == Approx(0.75).epsilon(1e-9));
}

TEST_CASE("worked example: with overheads, and the best number of waves") {
  CHECK(naive_ms(kExample, kOverheads) == Approx(6.3 + 0.06 + 2 * 0.01 + 2 * 0.02).epsilon(1e-9));
  const std::vector<std::pair<int, double>> expected{{1, 6.42}, {4, 4.35}, {8, 4.215}, {16, 4.5075}};
  for (const auto& [waves, ms] : expected) CHECK(wave_ms(kExample, waves, kOverheads) == Approx(ms).epsilon(1e-9));
  int best = 1;
  for (int waves = 1; waves <= 64; ++waves) {
    if (wave_ms(kExample, waves, kOverheads) < wave_ms(kExample, best, kOverheads)) best = waves;
  }
  CHECK(best == 7);  // sqrt((D + C) / alpha) = 7.07
  CHECK(wave_ms(kExample, 7, kOverheads) == Approx(4.208571428571).epsilon(1e-9));
}

TEST_CASE("worked example: bound by the link") {
  CHECK(wave_ms(kLinkBound, 1) == Approx(9.3).epsilon(1e-9));
  CHECK(wave_ms(kLinkBound, 2) == Approx(6.65).epsilon(1e-9));
  CHECK(wave_ms(kLinkBound, 3) == Approx(6.0).epsilon(1e-9));
  CHECK(wave_ms(kLinkBound, 100'000) == Approx(6.0).epsilon(1e-6));
  int best = 1;
  for (int waves = 1; waves <= 64; ++waves) {
    if (wave_ms(kLinkBound, waves, kOverheads) < wave_ms(kLinkBound, best, kOverheads)) best = waves;
  }
  CHECK(best == 3);
  CHECK(wave_ms(kLinkBound, 3, kOverheads) == Approx(6.08).epsilon(1e-9));
}

TEST_CASE("four engines: the published figure's speedups over naive") {
  const double naive = naive_ms(kFigure5);
  const std::vector<std::pair<int, double>> expected{{1, 1.00},  {2, 1.352},  {3, 1.500},  {4, 1.587},  {6, 1.684},
                                                     {8, 1.738}, {16, 1.824}, {32, 1.871}, {64, 1.895}, {256, 1.914}};
  for (const auto& [waves, speedup] : expected) {
    CHECK(std::fabs(naive / wave_ms(kFigure5, waves, {}, kInComputeActOut) - speedup) <= 0.0005 + 1e-12);
  }
  CHECK(std::fabs(naive / wave_ms(kFigure5, 100'000, {}, kInComputeActOut) - 1.92) < 0.005);
}

TEST_CASE("worked example: comet") {
  CHECK(comet_ms(kExample, 4) == Approx(4.8).epsilon(1e-9));
  CHECK(comet_ms(kExample, 8) == Approx(4.55).epsilon(1e-9));
  CHECK(comet_ms(kExample, 1'000'000) == Approx(4.3).epsilon(1e-6));
  // Communication as long as computation, no activation, D:C = 1:2, L1:L2 = 2:1.
  const StageTimes even{1e3, 2e3, 0, 1e3, 2e3};
  CHECK(std::fabs(6 / comet_ms(even, 9) - 1.421) < 0.0005);
  CHECK(std::fabs(6 / wave_ms(even, 24) - 1.920) < 0.0005);
}

TEST_CASE("comet on four engines: the published figure's other speedup") {
  const double naive = naive_ms(kFigure5);
  for (const auto& [chunks, speedup] : {std::pair{4, 1.285}, std::pair{16, 1.384}, std::pair{64, 1.411}}) {
    CHECK(std::fabs(naive / comet_ms(kFigure5, chunks, {}, kInComputeActOut) - speedup) <= 0.0005 + 1e-12);
  }
  CHECK(std::fabs(naive / comet_ms(kFigure5, 100'000, {}, kInComputeActOut) - 1.42) < 0.005);
}

TEST_CASE("comet: the simulator is the closed form") {
  RandomCases random(13);
  for (int i = 0; i < 3000; ++i) {
    const StageTimes t{random.real(0, 10), random.real(0, 10), random.real(0, 3), random.real(0, 10),
                       random.real(0, 10)};
    const bool bare = i % 3 == 0;
    const Overheads o{bare ? 0 : random.real(0, 0.5), bare ? 0 : random.real(0, 0.2), bare ? 0 : random.real(0, 0.5)};
    const int chunks = random.integer(1, 24);
    REQUIRE(comet_ms(t, chunks, o) * 1e3 == Approx(comet_form_us(t, chunks, o)).epsilon(1e-9));
  }
}

TEST_CASE("one interleaved block a wave is the wave schedule but for the warm-up's order") {
  // With a warm-up of one block and equal blocks the compute engine is never idle after the first: same makespan.
  RandomCases random(17);
  for (int i = 0; i < 500; ++i) {
    const StageTimes t{random.real(0, 10), random.real(0, 10), random.real(0, 3), random.real(0, 10),
                       random.real(0, 10)};
    const int blocks = random.integer(1, 12);
    ScheduleCut cut;
    cut.cuts = {blocks, 1, 1, {}};
    cut.slices = random.integer(1, 3);
    const Tiling tiling("interleaved", cut);
    const InterleavedSchedule schedule{blocks, cut.slices, 1};
    const double interleaved = simulated_makespan_ns(schedule, durations_of(t, tiling, {}, 1), 0) / 1e3;
    REQUIRE(interleaved == Approx(closed_form_us(t, blocks, {})).epsilon(1e-9));
  }
}

TEST_CASE("workers share an engine's work; more of them than tasks help nobody") {
  // 12 equal tasks of L1, Act and L2 with nothing else to wait for: rounds of `workers` units.
  const StageTimes compute_only{0, 12e3, 0, 12e3, 0};
  ScheduleCut cut;
  cut.cuts = {12, 1, 1, {}};
  const Tiling tiling("wave", cut);
  for (const int workers : {1, 3, 5}) {
    const Durations durations = durations_of(compute_only, tiling, {}, 1, workers);
    // A part takes `workers` ms on one of them, and no L2 waits long: 24 parts in rounds of `workers`.
    const double rounds = std::ceil(24.0 / workers);
    CHECK(simulated_makespan_ns(WaveSchedule{cut.cuts}, durations, 0, workers) / 1e6 == Approx(rounds * workers));
    CHECK(bound_ns(layers_in_turn(WaveSchedule{cut.cuts}, 1, workers), durations) / 1e6 == Approx(24));
  }
  const Durations wide = durations_of(compute_only, tiling, {}, 1, 100);
  CHECK(simulated_makespan_ns(WaveSchedule{cut.cuts}, wide, 0, 100) / 1e6 == Approx(2 * 100));
}

TEST_CASE("a ring of one part takes the overlap of dispatch away but nothing else") {
  // D = L1 = 8 parts of 1 ms: dispatch of part i + 1 begins when L1 of part i ends.
  const StageTimes t{8e3, 8e3, 0, 0, 0};
  ScheduleCut cut;
  cut.cuts = {8, 8, 0, {}};
  const Durations durations = durations_of(t, Tiling("wave", cut), {}, 1);
  CHECK(simulated_makespan_ns(WaveSchedule{cut.cuts, 1}, durations, 0) / 1e6 == Approx(16));
  CHECK(simulated_makespan_ns(WaveSchedule{cut.cuts, 2}, durations, 0) / 1e6 == Approx(9));
}

TEST_CASE("equal waves: the simulator is the closed form") {
  RandomCases random(3);
  for (int i = 0; i < 4000; ++i) {
    const StageTimes t{random.real(0, 10), random.real(0, 10), random.real(0, 3), random.real(0, 10),
                       random.real(0, 10)};
    const bool bare = i % 3 == 0;
    const Overheads o{bare ? 0 : random.real(0, 0.5), bare ? 0 : random.real(0, 0.2), bare ? 0 : random.real(0, 0.5)};
    const int waves = random.integer(1, 24);
    const double simulated_us = wave_ms(t, waves, o) * 1e3;
    REQUIRE(simulated_us == Approx(closed_form_us(t, waves, o)).epsilon(1e-9));
    REQUIRE(naive_ms(t, o) * 1e3 == Approx(t.dispatch_us + t.l1_us + t.act_us + t.l2_us + t.combine_us + o.alpha_us +
                                           2 * o.link_us + 2 * o.latency_us)
                                        .epsilon(1e-9));
    // No schedule beats its busiest engine.
    const double g = t.l1_us + t.act_us + t.l2_us;
    REQUIRE(simulated_us >= std::max(g, t.dispatch_us + t.combine_us) * (1 - 1e-12));
    // Equal waves never gain more than 2 - 1/W.
    if (bare) REQUIRE(naive_ms(t) * 1e3 / simulated_us <= 2 - 1.0 / waves + 1e-9);
  }
}

namespace {
// One layer on one rank with given orders of the link's 2W and the compute engine's W pieces; infinity where they block
// each other. Written apart from the executor on purpose.
double played(const std::vector<int>& link_order, const std::vector<int>& compute_order, int waves, double d, double g,
              double c, double lam) {
  std::vector<double> dispatched(static_cast<std::size_t>(waves), -1), computed(dispatched);
  double link_free = 0, compute_free = 0, end = 0;
  std::size_t link = 0, compute = 0;
  while (link < link_order.size() || compute < compute_order.size()) {
    bool moved = false;
    if (link < link_order.size()) {
      const bool is_dispatch = link_order[link] < waves;
      const auto w = static_cast<std::size_t>(link_order[link] % waves);
      if (is_dispatch) {
        dispatched[w] = (link_free += d) + lam;
      } else if (computed[w] >= 0) {
        link_free = std::max(link_free, computed[w]) + c;
        end = std::max(end, link_free + lam);
      }
      if (is_dispatch || computed[w] >= 0) ++link, moved = true;
    }
    if (compute < compute_order.size()) {
      const auto w = static_cast<std::size_t>(compute_order[compute]);
      if (dispatched[w] >= 0) {
        computed[w] = compute_free = std::max(compute_free, dispatched[w]) + g;
        ++compute, moved = true;
      }
    }
    if (!moved) return std::numeric_limits<double>::infinity();
  }
  return end;
}
}  // namespace

TEST_CASE("dispatch first is as good as any order of equal waves") {
  RandomCases random(11);
  for (int i = 0; i < 36; ++i) {
    const int waves = i % 3 + 1;
    const bool bare = i % 2 == 0;
    const StageTimes t{random.real(0.1, 9), random.real(0.1, 9), 0, random.real(0.1, 9), random.real(0.1, 9)};
    const Overheads o{bare ? 0 : random.real(0, 0.5), bare ? 0 : random.real(0, 0.2), bare ? 0 : random.real(0, 0.5)};
    const double w = waves, d = o.link_us + t.dispatch_us / w, c = o.link_us + t.combine_us / w;
    const double g = o.alpha_us + (t.l1_us + t.l2_us) / w;
    double best = std::numeric_limits<double>::infinity();
    std::vector<int> link(static_cast<std::size_t>(2 * waves)), compute(static_cast<std::size_t>(waves));
    std::iota(link.begin(), link.end(), 0);
    do {
      std::iota(compute.begin(), compute.end(), 0);
      do {
        best = std::min(best, played(link, compute, waves, d, g, c, o.latency_us));
      } while (std::next_permutation(compute.begin(), compute.end()));
    } while (std::next_permutation(link.begin(), link.end()));
    CHECK(wave_ms(t, waves, o) * 1e3 == Approx(best).epsilon(1e-9));
  }
}

namespace {
Durations random_durations(RandomCases& random, int rounds, int ranks, int waves) {
  Durations durations(rounds, ranks, StageParts::of(WaveSchedule{{waves, waves}}));
  for (int round = 0; round < rounds; ++round) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (Stage stage : kMoeStages) {
        for (int wave = 0; wave < waves; ++wave) durations.at(round, rank, {stage, wave}) = random.real(0, 1000);
      }
    }
  }
  return durations;
}
double sum_over_waves(const Durations& durations, int round, int rank, Stage stage) {
  double sum = 0;
  for (int wave = 0; wave < durations.parts()[stage]; ++wave) sum += durations.at(round, rank, {stage, wave});
  return sum;
}
}  // namespace

TEST_CASE("naive on several ranks: each stage as long as its slowest rank") {
  RandomCases random(5);
  for (int i = 0; i < 200; ++i) {
    const int rounds = random.integer(1, 4), ranks = random.integer(1, 7);
    const double lam = random.real(0, 50);
    const Durations durations = random_durations(random, rounds, ranks, 1);
    double expected = 0;
    for (int round = 0; round < rounds; ++round) {
      for (Stage stage : kMoeStages) {
        double slowest = 0;
        for (int rank = 0; rank < ranks; ++rank) slowest = std::max(slowest, durations.at(round, rank, {stage, 0}));
        expected += slowest;
      }
      expected += 2 * lam;
    }
    CHECK(simulated_makespan_ns(NaiveSchedule{}, durations, lam) == Approx(expected).epsilon(1e-12));
    CHECK(serial_ns(layers_in_turn(NaiveSchedule{}, rounds), durations, lam) == Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("waves on several ranks: the recurrence, and no faster than any rank alone") {
  RandomCases random(6);
  for (int i = 0; i < 300; ++i) {
    const int rounds = random.integer(1, 3), ranks = random.integer(1, 6), waves = random.integer(1, 7);
    const Durations durations = random_durations(random, rounds, ranks, waves);
    double begin = 0;
    for (int round = 0; round < rounds; ++round) {
      // done[rank][wave] of L2, then the combines, which wait for all ranks' L2 of their wave.
      std::vector<std::vector<double>> done(static_cast<std::size_t>(ranks));
      std::vector<double> link(static_cast<std::size_t>(ranks), begin);
      for (int r = 0; r < ranks; ++r) {
        double compute = begin;
        for (int w = 0; w < waves; ++w) {
          double& link_r = link[static_cast<std::size_t>(r)];
          link_r += durations.at(round, r, {Stage::kDispatch, w});
          compute = std::max(compute, link_r);
          for (Stage stage : {Stage::kL1, Stage::kAct, Stage::kL2}) compute += durations.at(round, r, {stage, w});
          done[static_cast<std::size_t>(r)].push_back(compute);
        }
      }
      double end = 0, alone = 0;
      for (int r = 0; r < ranks; ++r) {
        double& link_r = link[static_cast<std::size_t>(r)];
        for (int w = 0; w < waves; ++w) {
          for (const auto& other : done) link_r = std::max(link_r, other[static_cast<std::size_t>(w)]);
          link_r += durations.at(round, r, {Stage::kCombine, w});
        }
        end = std::max(end, link_r);
        const double comm = sum_over_waves(durations, round, r, Stage::kDispatch) +
                            sum_over_waves(durations, round, r, Stage::kCombine);
        double compute = 0;
        for (Stage stage : {Stage::kL1, Stage::kAct, Stage::kL2}) compute += sum_over_waves(durations, round, r, stage);
        alone = std::max({alone, comm, compute});
      }
      REQUIRE(end - begin >= alone * (1 - 1e-12));
      begin = end;
    }
    CHECK(simulated_makespan_ns(WaveSchedule{{waves, waves}}, durations, 0) == Approx(begin).epsilon(1e-12));
    CHECK(bound_ns(layers_in_turn(WaveSchedule{{waves, waves}}, rounds), durations) <= begin * (1 + 1e-12));
  }
}

TEST_CASE("unequal waves share the given times by their sizes") {
  ScheduleCut cut;
  cut.cuts.experts = 8;
  const Durations durations = durations_of(kExample, Tiling("wave", cut, {1, 3, 4}), {}, 1);
  CHECK(durations.at(0, 0, {Stage::kCombine, 0}) == Approx(2e6 / 8));
  CHECK(durations.at(0, 0, {Stage::kL1, 2}) == Approx(2e6 / 2));
  CHECK(serial_ns(layers_in_turn(WaveSchedule{{3, 3}}, 1), durations, 0) == Approx(6.3e6).epsilon(1e-12));
}

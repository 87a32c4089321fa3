// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/gate.h"

#include <cmath>
#include <random>

#include "analyzer/compare/structural_match.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

namespace {

// A run of so many steps of 100 us with 10 us exposed, all equal.
RunSample plain(double step = 100e3, double exposed = 10e3, std::size_t steps = 20, bool is_virtual = false) {
  RunSample run;
  run.label = "run";
  run.virtual_clock = is_virtual;
  run.ranks = 1;
  run.steps = steps;
  run.series[{Compared::kStepTime}].assign(steps, step);
  run.series[{Compared::kExposedComm}].assign(steps, exposed);
  return run;
}

// The noise of a real cluster, times `level`: 0.7 % between runs; within a run 3 % with memory 0.6, bursts of half as
// much again in 2 % of the steps, and a drift of 1 % over the run. The slowest of eight hosts, 4 % behind, sets the
// pace: of every run, or (wandering) of the runs that meet it.
RunSample noisy(std::mt19937_64& random, double level, double effect, std::size_t steps, bool wandering = false) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  RunSample run = plain(0, 0, 0);
  run.steps = steps;
  const double slow = !wandering || uniform(random) < 1.0 / 8 ? 1.04 : 1.0;
  const double base = 100e3 * (1 + effect) * std::exp(0.007 * level * normal(random)) * slow;
  double memory = normal(random);
  for (std::size_t i = 0; i < steps; ++i) {
    memory = 0.6 * memory + 0.8 * normal(random);
    double step = base * std::exp(0.03 * level * memory) *
                  (1 + 0.01 * level * static_cast<double>(i) / static_cast<double>(steps));
    if (uniform(random) < 0.02 * level) step *= 1.5;
    run.series[{Compared::kStepTime}].push_back(step);
    run.series[{Compared::kExposedComm}].push_back(0.1 * step);
  }
  return run;
}

struct Tally {
  int pass = 0, regress = 0, inconclusive = 0;
};
Tally simulate(double level, double effect, std::size_t runs, std::size_t steps, int gates, bool wandering = false) {
  std::mt19937_64 random(20240601 + static_cast<std::uint64_t>(1000 * level + 1e5 * effect));
  Tally tally;
  for (int i = 0; i < gates; ++i) {
    std::vector<RunSample> base, head;
    for (std::size_t n = 0; n < runs; ++n) {
      base.push_back(noisy(random, level, 0, steps, wandering));
      head.push_back(noisy(random, level, effect, steps, wandering));
    }
    const Verdict verdict = gate(base, head, default_rules()).verdict;
    ++(verdict == Verdict::kPass ? tally.pass : verdict == Verdict::kRegress ? tally.regress : tally.inconclusive);
  }
  return tally;
}

const GateRow& row_of(const GateResult& result, Compared compared) {
  for (const GateRow& row : result.rows)
    if (row.key.compared == compared) return row;
  FAIL("no such figure");
  return result.rows.front();
}

}  // namespace

TEST_CASE("gate: exact runs need no statistics; a harm above the budget regresses, below it passes") {
  const std::vector<RunSample> base{plain(100e3, 10e3, 3, true)};
  const auto verdict = [&](double step, double exposed) {
    const std::vector<RunSample> head{plain(step, exposed, 3, true)};
    return gate(base, head, default_rules());
  };
  CHECK(verdict(100e3, 10e3).verdict == Verdict::kPass);
  CHECK(verdict(100e3, 10e3).basis == Basis::kExact);
  CHECK(verdict(100.9e3, 10e3).verdict == Verdict::kPass);     // 0.9 % of 1 %
  CHECK(verdict(101.1e3, 10e3).verdict == Verdict::kRegress);  // 1.1 %
  CHECK(verdict(100e3, 10.4e3).verdict == Verdict::kPass);     // 0.4 points of 0.5, though 4 % more exposed time
  CHECK(verdict(100e3, 10.6e3).verdict == Verdict::kRegress);
  CHECK(verdict(60e3, 0).verdict == Verdict::kPass);
  const GateResult better = verdict(60e3, 0);
  CHECK(row_of(better, Compared::kStepTime).harm == Approx(-0.4));
  CHECK(row_of(better, Compared::kExposedComm).effect == Approx(-1));
  CHECK(row_of(better, Compared::kExposedComm).harm == Approx(-0.1));  // of the step
}

TEST_CASE("gate: with one measured run a side a small effect is inconclusive, a huge one is not") {
  const std::vector<RunSample> base{plain()};
  const auto verdict = [&](double step) { return gate(base, std::vector{plain(step)}, default_rules()); };
  CHECK(verdict(100e3).basis == Basis::kAssumed);
  CHECK(verdict(100e3).verdict == Verdict::kInconclusive);  // equal to the nanosecond, and yet: one run each
  CHECK(verdict(103e3).verdict == Verdict::kInconclusive);
  CHECK(verdict(140e3).verdict == Verdict::kRegress);
  const GateResult faster = gate(base, std::vector{plain(60e3, 1e3)}, default_rules());
  CHECK(faster.verdict == Verdict::kPass);
  // By hand: 1.645 x 2 % x sqrt(2) on the log scale.
  CHECK(row_of(verdict(100e3), Compared::kStepTime).harm_high == Approx(std::expm1(1.644854 * 0.02 * std::sqrt(2.0))));
  CHECK(gate(std::vector{plain(), plain()}, std::vector{plain(), plain()}, default_rules()).basis == Basis::kAssumed);
}

TEST_CASE("gate: three runs a side, by hand") {
  // Log run values 0, d, 2d on either side, head shifted by s: standard error d sqrt(2/3), t of 2 degrees.
  const double d = 0.002, s = 0.05;
  std::vector<RunSample> base, head;
  for (int i = 0; i < 3; ++i) {
    base.push_back(plain(100e3 * std::exp(i * d)));
    head.push_back(plain(100e3 * std::exp(i * d + s)));
  }
  const GateResult result = gate(base, head, default_rules());
  CHECK(result.basis == Basis::kMeasured);
  const GateRow& row = row_of(result, Compared::kStepTime);
  const double error = d * std::sqrt(2.0 / 3);
  const double share = row.base / result.base_step_ns;  // 1
  CHECK(share == Approx(1));
  CHECK(row.harm_low == Approx(std::expm1(s - 2.919986 * error)));
  CHECK(row.harm_high == Approx(std::expm1(s + 2.919986 * error)));
  const double t = (s - std::log1p(0.01)) / error;
  CHECK(row.p == Approx(0.5 - t / (2 * std::sqrt(2 + t * t))));  // closed form for 2 degrees of freedom
}

TEST_CASE("gate: false alarms stay rare and 3 % is seen, at half, full and double the noise") {
  for (const double level : {0.5, 1.0, 2.0}) {
    CAPTURE(level);
    const Tally none = simulate(level, 0, 10, 60, 40);
    CHECK(none.regress <= 2);  // 5 % of 40
    const Tally within = simulate(level, 0.0099, 10, 60, 40);
    CHECK(within.regress <= 2);
  }
  CHECK(simulate(1, 0, 3, 60, 60).regress <= 3);
  CHECK(simulate(1, 0, 5, 60, 60, true).regress <= 3);
  const Tally seen = simulate(1, 0.03, 12, 200, 25);
  CHECK(seen.regress >= 20);  // power 80 % and more
  CHECK(seen.pass == 0);
  const Tally quiet = simulate(0.5, 0.03, 6, 100, 25);
  CHECK(quiet.regress >= 20);
  // What is better passes, and what is equal mostly does once runs are quiet enough.
  CHECK(simulate(1, -0.05, 5, 60, 20).pass == 20);
  CHECK(simulate(0.5, 0, 10, 100, 20).pass >= 15);
}

TEST_CASE("gate: stage times are shown on request and held to nothing by default") {
  RunSample base = plain(100e3, 10e3, 3, true), head = base;
  const SeriesKey l1{Compared::kStageTime, Stage::kL1, Pass::kFORWARD};
  base.series[l1].assign(3, 40e3);
  head.series[l1].assign(3, 60e3);
  CHECK(gate(std::vector{base}, std::vector{head}, default_rules()).verdict == Verdict::kPass);
  const GateResult all = gate(std::vector{base}, std::vector{head}, all_figures());
  CHECK(row_of(all, Compared::kStageTime).effect == Approx(0.5));
  CHECK(row_of(all, Compared::kStageTime).harm == Approx(0.2));  // 20 us of a 100 us step
  CHECK(all.verdict == Verdict::kRegress);
  const GateRule loose{Compared::kStageTime, Stage::kL1, std::nullopt, 0.3};
  const std::vector<GateRule> rules{loose};
  CHECK(gate(std::vector{base}, std::vector{head}, rules).verdict == Verdict::kPass);
  const GateRule elsewhere{Compared::kStageTime, Stage::kL2, std::nullopt, 0.3};
  CHECK(gate(std::vector{base}, std::vector{head}, std::vector<GateRule>{elsewhere}).verdict ==
        Verdict::kInconclusive);  // no figure at all
}

TEST_CASE("gate: a hidden fraction counts in points, and more is better") {
  RunSample base = plain(100e3, 10e3, 3, true), head = base;
  base.series[{Compared::kHidden}].assign(3, 0.90);
  head.series[{Compared::kHidden}].assign(3, 0.88);
  const std::vector<GateRule> rules{{Compared::kHidden, std::nullopt, std::nullopt, 0.01}};
  CHECK(gate(std::vector{base}, std::vector{head}, rules).verdict == Verdict::kRegress);
  CHECK(gate(std::vector{head}, std::vector{base}, rules).verdict == Verdict::kPass);
  CHECK(gate(std::vector{base}, std::vector{head}, rules).rows[0].harm == Approx(0.02));
}

TEST_CASE("runs must have one structure; schedules and waves may differ") {
  const auto run = [](int ranks, int layers, bool with_combine, int waves) {
    HandTrace trace;
    for (int rank = 0; rank < ranks; ++rank) {
      const TrackId lane = trace.lane(rank);
      for (int layer = 0; layer < layers; ++layer)
        for (int wave = 0; wave < waves; ++wave) {
          const Ns at = 1000 * layer + 100 * wave;
          trace.work(lane, Stage::kDISPATCH, at, at + 20, {.step = 0, .layer = layer, .wave = wave});
          trace.work(lane, Stage::kL1, at + 20, at + 60, {.step = 0, .layer = layer, .wave = wave});
          if (with_combine) trace.work(lane, Stage::kCOMBINE, at + 60, at + 80, {.step = 0, .layer = layer});
        }
      trace.step(rank, 0, 0, 5000);
    }
    const Trace done = trace.finish();
    return run_sample(done, analyze(done, as_said(done), {}), std::to_string(ranks) + " ranks");
  };
  const auto trouble = [](const RunSample& a, const RunSample& b) {
    const auto mismatch = structural_mismatch(std::vector{a}, std::vector{b});
    return mismatch ? mismatch->run + ": " + mismatch->trouble : std::string();
  };
  CHECK(trouble(run(2, 2, true, 1), run(2, 2, true, 4)).empty());
  CHECK(trouble(run(2, 2, true, 1), run(4, 2, true, 1)) == "4 ranks: has 4 ranks where 2 ranks has 2");
  CHECK(trouble(run(2, 2, true, 1), run(2, 3, true, 1)) == "2 ranks: has 3 layers where 2 ranks has 2");
  CHECK(trouble(run(2, 2, true, 1), run(2, 2, false, 1)) == "2 ranks: has no combine forward work where 2 ranks has");
  RunSample other = run(2, 2, true, 1);
  other.model = Model{};
  other.model->experts = 64;
  RunSample model = other;
  model.model->experts = 32;
  CHECK(trouble(other, model) == "2 ranks: is a model with experts 32 where 2 ranks has 64");
}

TEST_CASE("a run's series: the slowest rank's step, the ranks' mean exposure") {
  HandTrace trace;
  for (int rank = 0; rank < 2; ++rank)
    for (int step = 0; step < 3; ++step) {
      const TrackId lane = trace.lane(rank);
      const Ns at = 1000 * step;
      trace.work(lane, Stage::kDISPATCH, at, at + 10 * (rank + 1) * (step + 1), {.step = step});
      trace.step(rank, step, at, at + 500 + 50 * rank);
    }
  const Trace done = trace.finish();
  RunSample sample = run_sample(done, analyze(done, as_said(done), {}), "x");
  CHECK(sample.steps == 3);
  CHECK(sample.series[{Compared::kStepTime}] == std::vector<double>{550, 550, 550});
  CHECK(sample.series[{Compared::kExposedComm}] == std::vector<double>{15, 30, 45});
  CHECK(sample.series[{Compared::kStageExposed, Stage::kDISPATCH, Pass::kFORWARD}] == std::vector<double>{15, 30, 45});
  CHECK(sample.series[{Compared::kHidden}] == std::vector<double>{0, 0, 0});
  CHECK_FALSE(sample.virtual_clock);
}

// SPDX-License-Identifier: Apache-2.0
// Whole runs: the three clocks against each other, and the account against arithmetic on the options.
#include "reference_kernels/job/run_job.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "reference_kernels/job/options.h"
#include "tests/support/catch.h"

using namespace moescope::reference;

namespace {
JobSpec spec_of(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "moescope-refmoe");
  return parse_command(static_cast<int>(arguments.size()), arguments.data()).spec;
}
JobResult run(std::vector<const char*> arguments) {
  return run_job(spec_of(std::move(arguments)));
}
// Small enough for sanitizers and a busy machine.
std::vector<const char*> small(std::vector<const char*> more) {
  std::vector<const char*> all{"--tokens", "40",    "--hidden", "32", "--intermediate", "24", "--experts", "12",
                               "--topk",   "3",     "--ranks",  "3",  "--layers",       "2",  "--steps",   "3",
                               "--link",   "1GB/s", "--flops",  "1e9"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
}  // namespace

TEST_CASE("checksums are equal for every schedule, wave count and clock, and the oracle agrees") {
  const JobResult naive = run(small({"--schedule", "naive", "--check"}));
  CHECK(*naive.oracle_rel_l2 <= oracle_tolerance(Dtype::kFp32));
  CHECK(naive.oracle_tokens == 40 * 3 * 3);
  for (const char* waves : {"1", "2", "3", "4"}) {
    CHECK(*run(small({"--waves", waves, "--check"})).checksum == *naive.checksum);
  }
  for (const char* schedule : {"comet", "interleaved"}) {
    CHECK(*run(small({"--schedule", schedule, "--check"})).checksum == *naive.checksum);
    CHECK(*run(small({"--schedule", schedule, "--clock", "real", "--workers", "2"})).checksum == *naive.checksum);
  }
  CHECK(*run(small({"--blocks", "3", "--ring", "2", "--clock", "real", "--workers", "3"})).checksum == *naive.checksum);
  CHECK(*run(small({"--clock", "paced", "--check"})).checksum == *naive.checksum);
  CHECK(*run(small({"--clock", "real"})).checksum == *naive.checksum);
  CHECK(*run(small({"--clock", "real", "--schedule", "naive"})).checksum == *naive.checksum);
  CHECK(*run(small({"--seed", "2", "--check"})).checksum != *naive.checksum);
  CHECK_FALSE(run(small({})).checksum.has_value());
}

TEST_CASE("bf16 stays within its stated distance of the oracle, and is not fp32") {
  const JobResult bf16 = run(small({"--dtype", "bf16", "--check"}));
  CHECK(*bf16.oracle_rel_l2 <= oracle_tolerance(Dtype::kBf16));
  CHECK(*bf16.oracle_rel_l2 > oracle_tolerance(Dtype::kFp32));
}

TEST_CASE("the account: spans, bytes, FLOPs and tokens are those of the options") {
  for (const char* clock : {"virtual", "paced", "real"}) {
    const JobResult r = run(small({"--waves", "2", "--clock", clock}));
    std::int64_t flops = 0, dispatched = 0, combined = 0;
    for (const StageTotal& t : r.stages) {
      CHECK(t.spans == 3 * 2 * 2);
      CHECK(t.time_ns >= 0);
      flops += t.flops;
      if (t.stage == Stage::kDispatch) dispatched += t.bytes;
      if (t.stage == Stage::kCombine) combined += t.bytes;
    }
    const std::int64_t pairs = std::int64_t{40} * 3 * 3 * 2 * 3;  // tokens x ranks x top-k x layers x steps
    CHECK(flops == 6 * 32 * 24 * pairs);
    CHECK(dispatched == combined);
    CHECK(dispatched % (32 * 4) == 0);
    CHECK(r.tokens_per_expert.size() == 2);
    for (const auto& layer : r.tokens_per_expert) {
      CHECK(layer.size() == 12);
      CHECK(std::accumulate(layer.begin(), layer.end(), std::int64_t{0}) == pairs / 2);
    }
  }
}

TEST_CASE("virtual time: naive is serial, waves lie between the bound and serial") {
  const JobResult naive = run({"--schedule", "naive"});
  CHECK(naive.makespan_ns == Approx(naive.serial_ns).epsilon(1e-12));
  double before = naive.makespan_ns;
  for (const char* waves : {"2", "4", "8"}) {
    const JobResult wave = run({"--waves", waves});
    CHECK(wave.makespan_ns == wave.ideal_ns);
    CHECK(wave.makespan_ns >= wave.bound_ns);
    CHECK(wave.makespan_ns < before);
    CHECK(wave.serial_ns == Approx(naive.serial_ns).epsilon(1e-12));  // the same work
    before = wave.makespan_ns;
  }
}

TEST_CASE("given stage times come out as the published figure's speedup") {
  const JobResult four = run({"--preset", "figure5", "--waves", "4", "--engines", "in,compute,act,out"});
  CHECK(std::fabs(four.serial_ns / four.makespan_ns - 1.587) < 0.0006);
  CHECK(four.tokens_per_expert.empty());
}

TEST_CASE("a faster link than the bound needs gains nothing but fill and drain") {
  // Compute-bound with d = 128: 6 h d FLOPs against 8 h bytes a remote pair.
  const JobResult enough = run({"--link", "1GB/s", "--waves", "8", "--fixed"});
  const JobResult plenty = run({"--link", "100GB/s", "--waves", "8", "--fixed"});
  CHECK(enough.bound_ns == Approx(plenty.bound_ns).epsilon(1e-9));
  CHECK(plenty.makespan_ns < enough.makespan_ns);
  CHECK(enough.makespan_ns < 1.1 * plenty.makespan_ns);
}

TEST_CASE("steps differ in their routing unless it is fixed") {
  const JobResult free = run({"--steps", "2", "--waves", "1"}),
                  fixed = run({"--steps", "2", "--waves", "1", "--fixed"});
  const JobResult one = run({"--steps", "1", "--waves", "1"});
  CHECK(fixed.makespan_ns == Approx(2 * one.makespan_ns).epsilon(1e-12));
  CHECK(free.makespan_ns != fixed.makespan_ns);
}

TEST_CASE("paced and real runs never beat the schedule's ideal by more than the clock's grain") {
  for (const char* clock : {"paced", "real"}) {
    for (const char* schedule : {"naive", "comet", "wave", "interleaved"}) {
      const JobResult r = run(small({"--schedule", schedule, "--clock", clock}));
      CHECK(r.makespan_ns >= r.ideal_ns - 1e4);
      CHECK(r.ideal_ns >= r.bound_ns * (1 - 1e-9));
    }
  }
}

TEST_CASE("link latency delays without occupying, on every clock") {
  const JobResult without = run({"--stages-us", "100,200,30,100,200", "--waves", "2"});
  for (const char* clock : {"virtual", "paced"}) {
    const JobResult with =
        run({"--stages-us", "100,200,30,100,200", "--waves", "2", "--latency", "50", "--clock", clock});
    CHECK(with.ideal_ns == Approx(without.ideal_ns + 2 * 50e3).epsilon(1e-12));  // compute-bound: fill and drain
    CHECK(with.makespan_ns >= with.ideal_ns - 1e4);
  }
}

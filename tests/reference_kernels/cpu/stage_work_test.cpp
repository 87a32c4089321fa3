// SPDX-License-Identifier: Apache-2.0
// The arithmetic: right by the oracle, and the same bits whatever the schedule, the waves, the ranks or the threads.
#include "reference_kernels/cpu/stage_work.h"

#include <algorithm>
#include <cstring>

#include "tests/reference_kernels/random_cases.h"
#include "tests/reference_kernels/small_layer.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;
using moescope::reference::test::SmallLayer;

namespace {

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

MoeShape shape_of(int ranks, int experts, int top_k, int tokens, int hidden, int intermediate, int layers) {
  return {hidden, intermediate, experts, top_k, layers, tokens, ranks};
}

// Every schedule and every cut gives the bits of the naive one, and those are right.
void check_all_schedules(const SmallLayer& layer) {
  const int local = layer.shape.local_experts();
  const std::vector<float> naive = layer.run(Tiling::whole(local));
  CHECK(layer.distance_to_oracle(naive) <= (layer.dtype == Dtype::kFp32 ? 1e-5 : 1e-2));
  for (int waves = 1; waves <= local; ++waves) {
    for (int blocks : {0, 1, 3}) {
      CHECK(same_bits(naive, layer.run(Tiling::waves(local, waves, blocks))));
      CHECK(same_bits(naive, layer.run(Tiling::waves(local, waves, blocks), kInComputeActOut)));
    }
  }
  ScheduleCut cut;
  cut.cuts.experts = local;
  if (local >= 3) CHECK(same_bits(naive, layer.run(Tiling("wave", cut, {1, local - 1}))));
  cut.ring = 1;
  CHECK(same_bits(naive, layer.run(Tiling("wave", cut))));
  for (int n : {1, 2, 5}) {
    cut.chunks = n;
    CHECK(same_bits(naive, layer.run(Tiling("comet", cut))));
    cut.cuts.blocks = n;
    cut.slices = 6 - n;
    cut.warm_up = std::min(n, local * n);
    CHECK(same_bits(naive, layer.run(Tiling("interleaved", cut))));
    CHECK(same_bits(naive, layer.run(Tiling("interleaved", cut), kInComputeActOut)));
  }
}

Routing all_to(const MoeShape& shape, int first_expert) {
  Routing routing{shape.top_k, {}, {}};
  for (int token = 0; token < shape.tokens * shape.ranks; ++token) {
    for (int slot = 0; slot < shape.top_k; ++slot) {
      routing.expert.push_back((first_expert + slot) % shape.experts);
      routing.weight.push_back(1.0f / static_cast<float>(shape.top_k));
    }
  }
  return routing;
}

}  // namespace

TEST_CASE("random shapes: schedules agree bit for bit, and with the oracle") {
  RandomCases random(31);
  for (int i = 0; i < 14; ++i) {
    SmallLayer layer;
    const int ranks = random.integer(1, 4), local = random.integer(1, 5);
    layer.shape = shape_of(ranks, ranks * local, random.integer(1, std::min(4, ranks * local)), random.integer(1, 23),
                           random.integer(1, 40), random.integer(1, 40), random.integer(1, 3));
    layer.steps = random.integer(1, 2);
    layer.dtype = i % 3 == 2 ? Dtype::kBf16 : Dtype::kFp32;
    layer.route(i % 2 == 0 ? RoutingSpec{} : RoutingSpec{RoutingSpec::Kind::kZipf, 1.2, 1, 0, {}});
    check_all_schedules(layer);
  }
}

TEST_CASE("one hot expert: all other experts, and all other ranks, have nothing to do") {
  for (int expert : {0, 5}) {
    SmallLayer layer;
    layer.shape = shape_of(3, 6, 1, 11, 24, 16, 2);
    layer.routings = {all_to(layer.shape, expert), all_to(layer.shape, 5 - expert)};
    check_all_schedules(layer);
  }
}

TEST_CASE("every token to every expert") {
  SmallLayer layer;
  layer.shape = shape_of(2, 6, 6, 5, 16, 8, 2);
  layer.route({});
  check_all_schedules(layer);
}

TEST_CASE("fewer tokens than ranks") {
  SmallLayer layer;
  layer.shape = shape_of(8, 8, 1, 1, 12, 20, 2);
  layer.route({});
  check_all_schedules(layer);
}

TEST_CASE("the number of ranks does not change a bit") {
  for (Dtype dtype : {Dtype::kFp32, Dtype::kBf16}) {
    std::vector<float> one_rank;
    for (int ranks : {1, 2, 3, 6}) {
      SmallLayer layer;
      layer.shape = shape_of(ranks, 12, 3, 24 / ranks, 20, 12, 2);
      layer.steps = 2;
      layer.dtype = dtype;
      layer.route({RoutingSpec::Kind::kZipf, 0.8, 1, 0, {}});
      const int waves = 12 / ranks >= 2 ? 2 : 1;
      const auto out = layer.run(Tiling::waves(12 / ranks, waves));
      if (ranks == 1) one_rank = out;
      CHECK(same_bits(one_rank, out));
    }
  }
}

TEST_CASE("the portable kernel gives the fast one's bits") {
  SmallLayer layer;
  layer.shape = shape_of(2, 4, 2, 19, 40, 24, 2);
  layer.route({});
  const auto fast = layer.run(Tiling::whole(2));
  layer.path = GemmPath::kPortable;
  CHECK(same_bits(fast, layer.run(Tiling::whole(2))));
}

TEST_CASE("threads give the bits of the simulation") {
  RandomCases random(32);
  for (int i = 0; i < 6; ++i) {
    SmallLayer layer;
    const int ranks = random.integer(1, 4);
    layer.shape = shape_of(ranks, ranks * 4, 2, random.integer(1, 40), 32, 24, 3);
    layer.steps = 3;
    layer.route({RoutingSpec::Kind::kZipf, 1, 1, 0, {}});
    const auto simulated = layer.run(Tiling::whole(4));
    CHECK(same_bits(simulated, layer.run(Tiling::whole(4), kLinkCompute, true)));
    CHECK(same_bits(simulated, layer.run(Tiling::waves(4, 4), kLinkCompute, true)));
    CHECK(same_bits(simulated, layer.run(Tiling::waves(4, 3), kInComputeActOut, true)));
    // Several workers of one compute engine, more than there is work for too.
    ScheduleCut cut;
    cut.cuts = {4, 1, 2, {}};
    cut.chunks = 3;
    cut.slices = 2;
    cut.warm_up = 3;
    cut.ring = 3;
    for (const char* schedule : {"naive", "comet", "wave", "interleaved"}) {
      for (int workers : {2, 5, 40})
        CHECK(same_bits(simulated, layer.run(Tiling(schedule, cut), kLinkCompute, true, workers)));
    }
  }
}

TEST_CASE("a lost token is far from the oracle") {
  SmallLayer layer;
  layer.shape = shape_of(2, 4, 2, 32, 16, 16, 1);
  layer.route({});
  std::vector<float> out = layer.run(Tiling::whole(2));
  const ModelValues values(layer.shape, layer.dtype, layer.seed);
  for (int i = 0; i < layer.shape.hidden; ++i) out[static_cast<std::size_t>(i)] = values.token(0, i);  // passed through
  CHECK(layer.distance_to_oracle(out) > 1e-2);
}

TEST_CASE("the meter is told of rows from other ranks, as many bytes as the wire carries") {
  struct Counting final : WireMeter {
    void sent(std::int64_t bytes) override { total += bytes; }
    std::int64_t total = 0;
  };
  for (Dtype dtype : {Dtype::kFp32, Dtype::kBf16}) {
    const MoeShape shape = shape_of(3, 6, 2, 17, 10, 6, 1);
    ScheduleCut cut;
    cut.cuts = {2, 2, 0, {}};
    cut.chunks = 3;
    cut.slices = 2;
    for (const char* schedule : {"naive", "comet", "wave", "interleaved"}) {
      const Tiling tiling(schedule, cut);
      const std::vector<Routing> routings{Router(shape, {}, 3).route(0, 0)};
      const std::vector<ExchangePlan> plans{ExchangePlan(shape, tiling, routings[0])};
      const StepPlan plan(tiling.schedule(kLinkCompute), {});
      const ModelValues values(shape, dtype, 3);
      Workspace workspace(shape, {}, 1, dtype, values, plans);
      StageWork work(shape, plan, tiling, plans, routings, workspace, best_gemm_path());
      Volumes volumes(1, 3, plan.parts());
      const double element = bytes_per_element(dtype);
      fill_volumes(shape, {element, element}, tiling, plan, plan.round(0), plans[0].rows(), 0, volumes);
      volumes.for_each([&](int round, int rank, Task task, const Volume& volume) {
        Counting meter;
        work.run(round, rank, task, &meter);
        CHECK(meter.total == volume.bytes);
      });
    }
  }
}

namespace {

// Distance of gradients by the input from the oracle's, relative to what the layers added.
double gradient_distance(const SmallLayer& layer, const std::vector<float>& gradients) {
  const ModelValues values(layer.shape, layer.dtype, layer.seed);
  Oracle oracle(layer.shape, values, layer.routings);
  double error = 0, size = 0;
  std::size_t i = 0;
  for (int step = 0; step < layer.steps; ++step) {
    for (int token = 0; token < layer.shape.tokens * layer.shape.ranks; ++token) {
      for (double right : oracle.input_gradient(step, token)) {
        error += std::pow(double{gradients[i]} - right, 2);
        const int column = static_cast<int>(i % static_cast<std::size_t>(layer.shape.hidden));
        size += std::pow(right - double{values.gradient(token, column)}, 2);
        ++i;
      }
    }
  }
  return std::sqrt(error / size);
}

// Outputs summed against the gradient the backward pass begins with: what its results are the gradient of.
double loss(const SmallLayer& layer, const ModelValues& values, const std::vector<float>& tokens) {
  double sum = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto hidden = static_cast<std::size_t>(layer.shape.hidden);
    const auto token = static_cast<std::int64_t>(i / hidden) % (layer.shape.tokens * layer.shape.ranks);
    sum += double{tokens[i]} * double{values.gradient(token, static_cast<int>(i % hidden))};
  }
  return sum;
}

}  // namespace

TEST_CASE("both passes, micro-batches, dense and shared weights: every schedule gives the same bits, and right ones") {
  RandomCases random(34);
  for (int i = 0; i < 8; ++i) {
    SmallLayer layer;
    const int ranks = random.integer(1, 3), local = random.integer(1, 3), batches = random.integer(1, 3);
    layer.shape =
        shape_of(ranks, ranks * local, random.integer(1, std::min(3, ranks * local)), batches * random.integer(1, 6),
                 random.integer(1, 40), random.integer(1, 40), random.integer(1, 3));
    layer.shape.shared_experts = random.integer(0, 2);
    layer.shape.dense = random.integer(0, 1) * random.integer(1, 30);
    layer.steps = random.integer(1, 2);
    layer.dtype = i % 4 == 3 ? Dtype::kBf16 : Dtype::kFp32;
    layer.step.micro_batches = batches;
    layer.step.backward = i % 3 != 0;
    layer.step.all_reduce = layer.step.backward && (layer.shape.shared_experts > 0 || layer.shape.dense > 0);
    layer.route({RoutingSpec::Kind::kZipf, 0.7, 1, 0, {}});
    const SmallLayer::Outcome naive = layer.run_all(Tiling::whole(local));
    const double tolerance = layer.dtype == Dtype::kFp32 ? 1e-5 : 2e-2;
    CHECK(layer.distance_to_oracle(naive.tokens) <= tolerance);
    if (layer.step.backward) CHECK(gradient_distance(layer, naive.gradients) <= tolerance);
    ScheduleCut cut;
    cut.cuts = {local, random.integer(1, local), 2, {}};
    cut.chunks = 3;
    cut.slices = 2;
    cut.warm_up = 2;
    for (int in_flight : {1, 2}) {
      layer.step.in_flight = std::min(in_flight, batches);
      cut.ring = layer.step.in_flight == 1 ? 2 : 0;
      for (const char* schedule : {"naive", "comet", "wave", "interleaved"}) {
        const Tiling tiling(schedule, cut);
        CHECK(layer.run_all(tiling) == naive);
        CHECK(layer.run_all(tiling, kInComputeActOut) == naive);
        CHECK(layer.run_all(tiling, kLinkCompute, true, random.integer(1, 3)) == naive);
      }
    }
  }
}

TEST_CASE("gradients of weights are what the loss does when a weight moves: a seed's difference along the gradient") {
  // One rank, all in fp32: the loss is linear in the last layer's down projection, so its directional derivative is the
  // gradient's product with the weights themselves.
  SmallLayer layer;
  layer.shape = shape_of(1, 2, 2, 9, 20, 12, 1);
  layer.step.backward = true;
  layer.route({});
  const SmallLayer::Outcome out = layer.run_all(Tiling::whole(2));
  const ModelValues values(layer.shape, layer.dtype, layer.seed);
  double product = 0;
  std::size_t at = 0;
  for (int expert = 0; expert < 2; ++expert) {
    at += 2 * 20 * 12;  // gate and up
    const auto down = values.matrix(0, expert, Projection::kDown);
    for (int k = 0; k < 12; ++k) {
      for (int n = 0; n < 20; ++n) product += double{out.parameters[at++]} * double{down.at(k, n)};
    }
  }
  std::vector<float> input;
  for (int token = 0; token < 9; ++token) {
    for (int i = 0; i < 20; ++i) input.push_back(values.token(token, i));
  }
  const double experts_part = loss(layer, values, out.tokens) - loss(layer, values, input);
  CHECK(product == Approx(experts_part).epsilon(1e-4));
}

TEST_CASE("an all-reduce gives every rank the sum of all ranks' gradients") {
  SmallLayer layer;
  layer.shape = shape_of(3, 6, 2, 8, 16, 16, 2);
  layer.shape.shared_experts = 1;
  layer.shape.dense = 8;
  layer.step.backward = layer.step.all_reduce = true;
  layer.route({});
  const SmallLayer::Outcome out = layer.run_all(Tiling::whole(2));
  const std::size_t expert = 3 * 16 * 16, side = 3 * 16 * 16 + 2 * 16 * 8, rank = 2 * expert + 2 * side;
  for (std::size_t l = 0; l < 2; ++l) {
    for (std::size_t i = 0; i < side; ++i) {
      float sum = 0;
      for (std::size_t r = 0; r < 3; ++r) {
        const float own = out.parameters[(l * 3 + r) * rank + 2 * expert + i];
        sum = r == 0 ? own : sum + own;
      }
      for (std::size_t r = 0; r < 3; ++r) REQUIRE(out.parameters[(l * 3 + r) * rank + 2 * expert + side + i] == sum);
    }
  }
}

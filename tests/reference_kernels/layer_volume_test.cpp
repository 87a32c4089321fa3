// SPDX-License-Identifier: Apache-2.0
// Bytes and FLOPs against a count of pairs, one by one.
#include "reference_kernels/layer_volume.h"

#include <cmath>
#include <map>
#include <tuple>

#include "reference_kernels/cost_model.h"
#include "reference_kernels/routing.h"
#include "tests/reference_kernels/random_cases.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;

TEST_CASE("waves move and compute what the layer does, pair by pair") {
  RandomCases random(21);
  for (int i = 0; i < 150; ++i) {
    MoeShape shape;
    shape.ranks = random.integer(1, 6);
    shape.experts = shape.ranks * random.integer(1, 7);
    shape.top_k = random.integer(1, shape.experts);
    shape.tokens = random.integer(1, 40);
    shape.hidden = random.integer(1, 50);
    shape.intermediate = random.integer(1, 50);
    shape.layers = 1;
    const int waves = random.integer(1, shape.local_experts());
    const Tiling tiling = Tiling::waves(shape.local_experts(), waves);
    const WireFormat wire{1.03125, 2};
    const Routing routing = Router(shape, {RoutingSpec::Kind::kZipf, random.real(0, 4), 1, 0, {}}, 5).route(i, 0);
    const ExpertRows rows(shape, count_tokens(shape, routing));
    const StepPlan plan(tiling.schedule(kLinkCompute), {});
    Volumes volumes(1, shape.ranks, plan.parts());
    fill_volumes(shape, wire, tiling, plan, plan.round(0), rows, 0, volumes);

    Volumes expected(1, shape.ranks, plan.parts());
    std::map<std::tuple<int, int, int, int>, std::int64_t> peers;  // stage, wave, from, to
    const std::int64_t hd = std::int64_t{shape.hidden} * shape.intermediate;
    for (std::size_t pair = 0; pair < routing.expert.size(); ++pair) {
      const int home = static_cast<int>(pair / static_cast<std::size_t>(shape.top_k * shape.tokens));
      const int owner = routing.expert[pair] / shape.local_experts();
      const int wave = tiling.cut().cuts.wave_of_expert(routing.expert[pair] % shape.local_experts());
      expected.at(0, owner, {Stage::kL1, wave}).flops += 4 * hd;
      expected.at(0, owner, {Stage::kL2, wave}).flops += 2 * hd;
      const auto out = static_cast<std::int64_t>(std::ceil(shape.hidden * 1.03125)),
                 back = std::int64_t{2} * shape.hidden;
      if (owner != home) expected.at(0, owner, {Stage::kDispatch, wave}).bytes += out;
      if (owner != home) expected.at(0, home, {Stage::kCombine, wave}).bytes += back;
      peers[{0, wave, home, owner}] += out;
      peers[{4, wave, owner, home}] += back;
    }
    volumes.for_each([&](int, int rank, Task task, const Volume& volume) {
      REQUIRE(volume.bytes == expected.at(0, rank, task).bytes);
      REQUIRE(volume.flops == expected.at(0, rank, task).flops);
      if (!is_link_stage(task.stage)) return;
      const auto to = bytes_to_peers(shape, wire, tiling, Direction::kForward, rows, rank, task);
      for (int peer = 0; peer < shape.ranks; ++peer) {
        REQUIRE(to[static_cast<std::size_t>(peer)] == peers[{static_cast<int>(task.stage), task.part, rank, peer}]);
      }
    });
  }
}

TEST_CASE("an account that does not add up is refused") {
  MoeShape shape{8, 8, 4, 1, 1, 4, 2};
  Volumes volumes(1, 2, 1);
  const StepPlan plan(Tiling::waves(1, 1).schedule(kLinkCompute), {});
  // A wave short of the last expert of each rank, which has tokens.
  const ExpertRows rows(shape, std::vector<std::int64_t>(8, 3));
  CHECK_THROWS_AS(fill_volumes(shape, {}, Tiling::waves(1, 1), plan, plan.round(0), rows, 0, volumes),
                  std::logic_error);
}

TEST_CASE("costs are work over rate plus overheads, the activation a share of its wave") {
  Volumes volumes(1, 1, 2);
  volumes.at(0, 0, {Stage::kDispatch, 1}).bytes = 5000;
  volumes.at(0, 0, {Stage::kL1, 1}).flops = 4000;
  volumes.at(0, 0, {Stage::kL2, 1}).flops = 2000;
  CostModel cost;
  cost.flops_per_second = 2e9;
  cost.link_bytes_per_second = 0.5e9;
  cost.activation_share = 0.1;
  cost.overheads = {60, 10, 20};
  const Durations durations =
      cost.durations(volumes, Tiling::waves(2, 2), StepPlan(Tiling::waves(2, 2).schedule(kLinkCompute), {}));
  CHECK(durations.at(0, 0, {Stage::kDispatch, 1}) == Approx(10e3 + 10e3));
  CHECK(durations.at(0, 0, {Stage::kDispatch, 0}) == Approx(10e3));
  CHECK(durations.at(0, 0, {Stage::kL1, 1}) == Approx(2e3 + 60e3));
  CHECK(durations.at(0, 0, {Stage::kAct, 1}) == Approx(0.1 * 3e3));
  CHECK(durations.at(0, 0, {Stage::kL2, 1}) == Approx(1e3));
  CHECK(durations.at(0, 0, {Stage::kCombine, 1}) == Approx(10e3));
}

TEST_CASE("backward: twice the FLOPs, gradients as wide as results both ways") {
  RandomCases random(22);
  for (int i = 0; i < 60; ++i) {
    MoeShape shape;
    shape.ranks = random.integer(1, 4);
    shape.experts = shape.ranks * random.integer(1, 4);
    shape.top_k = random.integer(1, shape.experts);
    shape.tokens = random.integer(1, 30);
    shape.hidden = 16 * random.integer(1, 3);
    shape.intermediate = 16 * random.integer(1, 3);
    shape.shared_experts = random.integer(0, 2);
    shape.dense = random.integer(0, 1) * 24;
    StepShape step;
    step.backward = true;
    step.dense = shape.dense > 0, step.shared = shape.shared_experts > 0;
    step.all_reduce = step.dense || step.shared;
    step.compute_workers = random.integer(1, 3);
    const Tiling tiling = Tiling::waves(shape.local_experts(), 1, 2);
    const StepPlan plan(tiling.schedule(kLinkCompute), step);
    const Routing routing = Router(shape, {}, 8).route(i, 0);
    const ExpertRows rows(shape, count_tokens(shape, routing));
    Volumes volumes(2, shape.ranks, plan.parts());
    std::int64_t bytes[2] = {}, flops[2] = {}, side_flops[2] = {}, reduced = 0;
    for (int round : {0, 1}) {
      fill_volumes(shape, {1, 2}, tiling, plan, plan.round(round), rows, round, volumes);
      plan.for_each([&](int at, Task task) {
        for (int rank = 0; rank < shape.ranks && at == round; ++rank) {
          const Volume& v = volumes.at(round, rank, task);
          const bool of_experts = static_cast<int>(task.stage) < kMoeStageCount || task.stage == Stage::kWeightGradL1 ||
                                  task.stage == Stage::kWeightGradL2;
          (of_experts ? flops : side_flops)[round] += v.flops;
          if (task.stage == Stage::kAllReduce) {
            reduced += v.bytes;
          } else {
            bytes[round] += v.bytes;
          }
        }
      });
    }
    const std::int64_t pairs = std::int64_t{shape.tokens} * shape.ranks * shape.top_k;
    const std::int64_t hd = std::int64_t{shape.hidden} * shape.intermediate,
                       tokens = std::int64_t{shape.tokens} * shape.ranks;
    CHECK(flops[0] == 6 * hd * pairs);
    CHECK(flops[1] == 12 * hd * pairs);
    CHECK(side_flops[0] == tokens * (6 * hd * shape.shared_experts + 4 * shape.hidden * shape.dense));
    CHECK(side_flops[1] == 2 * side_flops[0]);
    CHECK(bytes[1] * 3 == bytes[0] * 4);  // 2 + 2 bytes an element against 1 + 2
    const std::int64_t parameters = 3 * hd * shape.shared_experts + 2 * shape.hidden * shape.dense;
    if (step.all_reduce) CHECK(reduced == 2 * (shape.ranks - 1) * parameters * 4 / shape.ranks * shape.ranks);
  }
}

TEST_CASE("communication can hide exactly at the bound of 2 d FLOPs a byte") {
  // FP8 out, BF16 back, as many experts as ranks and one rank far from all: 6 h d FLOPs against 3 h bytes a pair.
  MoeShape shape{7168, 3072, 64, 6, 1, 256, 64};
  const ExpertRows rows(shape, count_tokens(shape, Router(shape, {}, 9).route(0, 0)));
  Volumes volumes(1, shape.ranks, 1);
  const StepPlan plan(NaiveSchedule{}, {});
  fill_volumes(shape, {1, 2}, Tiling::whole(1), plan, plan.round(0), rows, 0, volumes);
  double flops = 0, bytes = 0;
  volumes.for_each([&](int, int, Task, const Volume& v) {
    flops += static_cast<double>(v.flops);
    bytes += static_cast<double>(v.bytes);
  });
  const double remote_fraction = bytes / 3 / 7168 / (256.0 * 64 * 6);
  CHECK(flops / bytes == Approx(2 * 3072 / remote_fraction).epsilon(1e-12));
  CHECK(remote_fraction == Approx(1 - 1.0 / 64).margin(0.003));
}

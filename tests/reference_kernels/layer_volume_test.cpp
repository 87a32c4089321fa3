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
    const Routing routing = Router(shape, {RoutingSpec::Kind::kZipf, random.real(0, 4)}, 5).route(i, 0);
    const ExpertRows rows(shape, count_tokens(shape, routing));
    Volumes volumes(1, shape.ranks, waves);
    fill_volumes(shape, wire, tiling, rows, 0, volumes);

    Volumes expected(1, shape.ranks, waves);
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
      const auto to = bytes_to_peers(shape, wire, tiling, rows, rank, task);
      for (int peer = 0; peer < shape.ranks; ++peer) {
        REQUIRE(to[static_cast<std::size_t>(peer)] == peers[{static_cast<int>(task.stage), task.part, rank, peer}]);
      }
    });
  }
}

TEST_CASE("an account that does not add up is refused") {
  MoeShape shape{8, 8, 4, 1, 1, 4, 2};
  Volumes volumes(1, 2, 1);
  // A wave short of the last expert of each rank, which has tokens.
  const ExpertRows rows(shape, std::vector<std::int64_t>(8, 3));
  CHECK_THROWS_AS(fill_volumes(shape, {}, Tiling::waves(1, 1), rows, 0, volumes), std::logic_error);
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
  const Durations durations = cost.durations(volumes, Tiling::waves(2, 2));
  CHECK(durations.at(0, 0, {Stage::kDispatch, 1}) == Approx(10e3 + 10e3));
  CHECK(durations.at(0, 0, {Stage::kDispatch, 0}) == Approx(10e3));
  CHECK(durations.at(0, 0, {Stage::kL1, 1}) == Approx(2e3 + 60e3));
  CHECK(durations.at(0, 0, {Stage::kAct, 1}) == Approx(0.1 * 3e3));
  CHECK(durations.at(0, 0, {Stage::kL2, 1}) == Approx(1e3));
  CHECK(durations.at(0, 0, {Stage::kCombine, 1}) == Approx(10e3));
}

TEST_CASE("communication can hide exactly at the bound of 2 d FLOPs a byte") {
  // FP8 out, BF16 back, as many experts as ranks and one rank far from all: 6 h d FLOPs against 3 h bytes a pair.
  MoeShape shape{7168, 3072, 64, 6, 1, 256, 64};
  const ExpertRows rows(shape, count_tokens(shape, Router(shape, {}, 9).route(0, 0)));
  Volumes volumes(1, shape.ranks, 1);
  fill_volumes(shape, {1, 2}, Tiling::whole(1), rows, 0, volumes);
  double flops = 0, bytes = 0;
  volumes.for_each([&](int, int, Task, const Volume& v) {
    flops += static_cast<double>(v.flops);
    bytes += static_cast<double>(v.bytes);
  });
  const double remote_fraction = bytes / 3 / 7168 / (256.0 * 64 * 6);
  CHECK(flops / bytes == Approx(2 * 3072 / remote_fraction).epsilon(1e-12));
  CHECK(remote_fraction == Approx(1 - 1.0 / 64).margin(0.003));
}

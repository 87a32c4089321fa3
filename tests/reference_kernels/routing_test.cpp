// SPDX-License-Identifier: Apache-2.0
// Made-up routing against the distribution it claims, and against numbers worked out by another program.
#include "reference_kernels/routing.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/reference_kernels/random_cases.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;

namespace {

MoeShape shape_of(int experts, int top_k, int tokens, int ranks) {
  MoeShape shape;
  shape.experts = experts;
  shape.top_k = top_k;
  shape.tokens = tokens;
  shape.ranks = ranks;
  shape.layers = 1;
  return shape;
}
RoutingSpec zipf(double exponent) {
  RoutingSpec spec;
  spec.kind = RoutingSpec::Kind::kZipf;
  spec.strength = exponent;
  return spec;
}

// Pearson's statistic over its degrees of freedom, in standard deviations from its mean.
double chi_square_deviation(const std::vector<double>& expected, const std::vector<double>& seen) {
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) sum += std::pow(seen[i] - expected[i], 2) / expected[i];
  const double freedom = static_cast<double>(expected.size()) - 1;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

std::vector<double> counts_by_popularity(const MoeShape& shape, const RoutingSpec& spec, std::uint64_t seed) {
  const Router router(shape, spec, seed);
  const Routing routing = router.route(0, 0);
  std::vector<double> by_expert(static_cast<std::size_t>(shape.experts)), by_popularity;
  for (std::int32_t expert : routing.expert) ++by_expert[static_cast<std::size_t>(expert)];
  for (std::int32_t expert : router.popularity(0)) by_popularity.push_back(by_expert[static_cast<std::size_t>(expert)]);
  return by_popularity;
}

}  // namespace

TEST_CASE("every token has exactly top-k distinct experts and weights that sum to one") {
  RandomCases random(8);
  for (int i = 0; i < 60; ++i) {
    const int ranks = random.integer(1, 5), experts = ranks * random.integer(1, 12);
    const int top_k = i % 4 == 0 ? experts : random.integer(1, experts);
    const MoeShape shape = shape_of(experts, top_k, random.integer(1, 50), ranks);
    const RoutingSpec spec = i % 2 == 0 ? RoutingSpec{} : zipf(random.real(0, 4));
    const Routing routing = Router(shape, spec, 4).route(i, 3);
    REQUIRE(routing.expert.size() == static_cast<std::size_t>(shape.tokens * ranks * top_k));
    for (std::size_t token = 0; token < routing.expert.size(); token += static_cast<std::size_t>(top_k)) {
      std::set<int> distinct;
      double weights = 0;
      for (std::size_t slot = 0; slot < static_cast<std::size_t>(top_k); ++slot) {
        const int expert = routing.expert[token + slot];
        REQUIRE((expert >= 0 && expert < experts));
        distinct.insert(expert);
        REQUIRE(routing.weight[token + slot] > 0);
        weights += double{routing.weight[token + slot]};
      }
      REQUIRE(distinct.size() == static_cast<std::size_t>(top_k));
      REQUIRE(weights == Approx(1).epsilon(1e-5));
    }
  }
}

TEST_CASE("uniform routing is uniform, zipf falls as i^-S") {
  const MoeShape shape = shape_of(64, 1, 50'000, 4);
  const double draws = 200'000;
  const auto uniform = counts_by_popularity(shape, {}, 1);
  CHECK(std::fabs(chi_square_deviation(std::vector<double>(64, draws / 64), uniform)) < 4);
  for (double exponent : {0.5, 1.0, 1.5}) {
    std::vector<double> expected;
    double sum = 0;
    for (int i = 1; i <= 64; ++i) expected.push_back(std::pow(i, -exponent)), sum += expected.back();
    for (double& e : expected) e *= draws / sum;
    CHECK(std::fabs(chi_square_deviation(expected, counts_by_popularity(shape, zipf(exponent), 1))) < 4);
    // Zipf is not what uniform is tested for.
    CHECK(chi_square_deviation(std::vector<double>(64, draws / 64), counts_by_popularity(shape, zipf(exponent), 1)) >
          100);
  }
}

TEST_CASE("further slots are drawn without replacement, each from what is left") {
  // Steep enough that many second draws are refused sixteen times and take the long way.
  for (double exponent : {1.0, 4.0}) {
    const MoeShape shape = shape_of(4, 2, 100'000, 2);
    const Router router(shape, zipf(exponent), 2);
    const Routing routing = router.route(0, 0);
    const std::vector<std::int32_t> order = router.popularity(0);
    std::vector<std::size_t> place(4);
    for (std::size_t i = 0; i < 4; ++i) place[static_cast<std::size_t>(order[i])] = i;
    std::vector<double> weight, seen(12), expected;
    for (int i = 1; i <= 4; ++i) weight.push_back(std::pow(i, -exponent));
    const double all = weight[0] + weight[1] + weight[2] + weight[3];
    const auto cell = [](std::size_t a, std::size_t b) { return a * 3 + (b > a ? b - 1 : b); };
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        if (a != b) expected.push_back(200'000 * weight[a] / all * weight[b] / (all - weight[a]));
      }
    }
    for (std::size_t i = 0; i < routing.expert.size(); i += 2) {
      ++seen[cell(place[static_cast<std::size_t>(routing.expert[i])],
                  place[static_cast<std::size_t>(routing.expert[i + 1])])];
    }
    CHECK(std::fabs(chi_square_deviation(expected, seen)) < 4);
  }
}

TEST_CASE("routing does not depend on how tokens are dealt to ranks") {
  const Routing one = Router(shape_of(24, 3, 60, 1), zipf(1), 5).route(2, 7);
  const Routing six = Router(shape_of(24, 3, 10, 6), zipf(1), 5).route(2, 7);
  CHECK(one.expert == six.expert);
  CHECK(one.weight == six.weight);
}

TEST_CASE("seed, step and layer change the routing; hot experts stay hot over steps") {
  const MoeShape shape = shape_of(32, 2, 64, 2);
  const Router router(shape, zipf(1), 5);
  CHECK(router.route(0, 0).expert != router.route(1, 0).expert);
  CHECK(router.route(0, 0).expert != router.route(0, 1).expert);
  CHECK(router.route(0, 0).expert != Router(shape, zipf(1), 6).route(0, 0).expert);
  CHECK(router.route(0, 0).expert == Router(shape, zipf(1), 5).route(0, 0).expert);
  CHECK(router.popularity(0) != router.popularity(1));
}

TEST_CASE("routing is the one that another program draws") {
  // Drawn apart from this code, with exact integers and 50 decimal digits for the weights.
  CHECK(Router(shape_of(16, 3, 6, 1), zipf(1.2), 42).route(3, 5).expert ==
        std::vector<std::int32_t>{5, 2, 15, 13, 5, 10, 7, 5, 4, 14, 13, 5, 3, 0, 14, 14, 4, 5});
  CHECK(Router(shape_of(6, 6, 2, 1), zipf(4), 7).route(0, 0).expert ==
        std::vector<std::int32_t>{5, 4, 2, 3, 1, 0, 5, 4, 0, 3, 1, 2});
  CHECK(Router(shape_of(32, 4, 3, 1), {}, 1).route(1, 1).expert ==
        std::vector<std::int32_t>{20, 29, 5, 8, 26, 27, 14, 1, 28, 15, 5, 30});
}

TEST_CASE("routing is read as written and refused where it can't be") {
  RoutingSpec spec;
  CHECK((parse_routing("zipf:1.25", spec) && spec.strength == 1.25 && to_string(spec) == "zipf:1.25"));
  CHECK((parse_routing("uniform", spec) && to_string(spec) == "uniform"));
  for (const char* text : {"zipf:1.5", "hot_expert:8", "hot_rank:2.5", "balanced"}) {
    REQUIRE(parse_routing(text, spec));
    CHECK(to_string(spec) == text);
  }
  spec.nodes = 4, spec.node_limit = 2;
  CHECK(to_string(spec) == "balanced on 2 of 4 nodes");
  for (const char* wrong :
       {"", "zipf", "zipf:", "zipf:x", "zipf:1x", "zipf:-1", "zipf:5", "zipf:nan", "hot", "uniform ", "uniform:1",
        "balanced:", "hot_expert:0.5", "hot_rank:20000", "hot_expert:3x"}) {
    CHECK_FALSE(parse_routing(wrong, spec));
  }
}

TEST_CASE("tokens are counted by expert and source rank") {
  const MoeShape shape = shape_of(4, 2, 2, 2);
  Routing routing{2, {0, 1, 0, 3, 2, 3, 0, 2}, std::vector<float>(8, 0.5f)};
  // [expert][source]
  CHECK(count_tokens(shape, routing) == std::vector<std::int64_t>{2, 1, 1, 0, 0, 2, 1, 1});
}

namespace {
RoutingSpec spec_of(const char* text) {
  RoutingSpec spec;
  REQUIRE(parse_routing(text, spec));
  return spec;
}
// The share of first choices that go to `hot` of the experts, F times as heavy as the others: F h / (F h + E - h).
double hot_share(double factor, double hot, double experts) {
  return factor * hot / (factor * hot + experts - hot);
}
}  // namespace

TEST_CASE("one hot expert and one hot rank get the share that their weight says") {
  const MoeShape shape = shape_of(32, 1, 50'000, 4);
  const double draws = 200'000;
  const auto share_within = [&](double seen, double share) {
    return std::fabs(seen - draws * share) < 5 * std::sqrt(draws * share * (1 - share));
  };
  for (const double factor : {1.0, 3.0, 20.0}) {
    RoutingSpec spec = spec_of("hot_expert:1");
    spec.strength = factor;
    CHECK(share_within(counts_by_popularity(shape, spec, 5)[0], hot_share(factor, 1, 32)));
    spec.kind = RoutingSpec::Kind::kHotRank;
    const Router router(shape, spec, 5);
    std::vector<double> by_rank(4);
    for (const std::int32_t expert : router.route(0, 0).expert)
      ++by_rank[static_cast<std::size_t>(shape.owner(expert))];
    const int hot = shape.owner(router.popularity(0)[0]);
    CHECK(share_within(by_rank[static_cast<std::size_t>(hot)], hot_share(factor, 8, 32)));
    // The same rank in every layer.
    for (int layer = 1; layer < 5; ++layer)
      for (std::size_t i = 0; i < 8; ++i) CHECK(shape.owner(router.popularity(layer)[i]) == hot);
  }
}

TEST_CASE("balanced routing gives every expert as many pairs as any other, to one") {
  RandomCases random(3);
  for (int i = 0; i < 40; ++i) {
    const int ranks = random.integer(1, 5), experts = ranks * random.integer(1, 12);
    const MoeShape shape = shape_of(experts, random.integer(1, experts), random.integer(1, 50), ranks);
    const Routing routing = Router(shape, spec_of("balanced"), 4).route(i, 1);
    std::vector<int> count(static_cast<std::size_t>(experts));
    for (std::size_t token = 0; token < routing.expert.size(); token += static_cast<std::size_t>(shape.top_k)) {
      std::set<int> distinct;
      for (int slot = 0; slot < shape.top_k; ++slot) {
        const std::int32_t expert = routing.expert[token + static_cast<std::size_t>(slot)];
        ++count[static_cast<std::size_t>(expert)];
        distinct.insert(expert);
      }
      REQUIRE(distinct.size() == static_cast<std::size_t>(shape.top_k));
    }
    CHECK(*std::max_element(count.begin(), count.end()) - *std::min_element(count.begin(), count.end()) <= 1);
  }
}

TEST_CASE("a token's experts lie on as many nodes as the limit allows; a limit of all nodes changes nothing") {
  const MoeShape shape = shape_of(64, 6, 500, 8);
  for (const char* kind : {"uniform", "zipf:1.5", "hot_expert:50"}) {
    RoutingSpec spec = spec_of(kind);
    const Routing free = Router(shape, spec, 9).route(0, 0);
    spec.nodes = 4;
    for (const int limit : {1, 2, 4}) {
      spec.node_limit = limit;
      const Routing routing = Router(shape, spec, 9).route(0, 0);
      std::size_t most = 0;
      std::set<int> used;
      for (std::size_t token = 0; token < routing.expert.size(); token += 6) {
        std::set<int> nodes, experts;
        for (std::size_t slot = 0; slot < 6; ++slot) {
          nodes.insert(routing.expert[token + slot] / 16);  // two ranks of eight experts a node
          experts.insert(routing.expert[token + slot]);
        }
        REQUIRE(experts.size() == 6);
        most = std::max(most, nodes.size());
        used.insert(nodes.begin(), nodes.end());
      }
      CHECK(most == static_cast<std::size_t>(limit));
      CHECK(used.size() == 4);
      if (limit == 4) CHECK(routing.expert == free.expert);
    }
  }
}

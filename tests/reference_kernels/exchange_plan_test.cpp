// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/exchange_plan.h"

#include <algorithm>
#include <set>

#include "tests/reference_kernels/random_cases.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;

TEST_CASE("every pair has one row of its own on its expert's rank, and every token is completed once") {
  RandomCases random(41);
  for (int i = 0; i < 80; ++i) {
    MoeShape shape;
    shape.ranks = random.integer(1, 5);
    shape.experts = shape.ranks * random.integer(1, 6);
    shape.top_k = random.integer(1, shape.experts);
    shape.tokens = random.integer(1, 20);
    shape.layers = 1;
    const Tiling waves = Tiling::waves(shape.local_experts(), random.integer(1, shape.local_experts()));
    const Routing routing = Router(shape, {RoutingSpec::Kind::kZipf, 1.5, 1, 0, {}}, 6).route(i, 0);
    const ExchangePlan plan(shape, waves, routing);
    std::vector<std::set<std::int64_t>> rows(static_cast<std::size_t>(shape.ranks));
    std::size_t pairs = 0;
    for (int source = 0; source < shape.ranks; ++source) {
      for (int expert = 0; expert < shape.experts; ++expert) {
        std::int64_t row = plan.first_row(expert) + plan.rows().begin(expert, source);
        for (std::int32_t entry : plan.sent(source, expert)) {
          const auto at = static_cast<std::size_t>(source * shape.tokens * shape.top_k + entry);
          REQUIRE(routing.expert[at] == expert);
          REQUIRE(rows[static_cast<std::size_t>(shape.owner(expert))].insert(row++).second);
          ++pairs;
        }
      }
    }
    REQUIRE(pairs == routing.expert.size());
    for (int rank = 0; rank < shape.ranks; ++rank) {
      const auto& used = rows[static_cast<std::size_t>(rank)];
      REQUIRE(static_cast<std::int64_t>(used.size()) == plan.rows_on(rank));
      if (!used.empty()) REQUIRE((*used.begin() == 0 && *used.rbegin() == plan.rows_on(rank) - 1));
      std::set<int> whole;
      for (int wave = 0; wave < waves.waves(); ++wave) {
        for (std::int32_t token : plan.completed(rank, wave)) {
          REQUIRE(whole.insert(token).second);
          int last = 0;
          for (int slot = 0; slot < shape.top_k; ++slot) {
            const auto at = static_cast<std::size_t>((rank * shape.tokens + token) * shape.top_k + slot);
            last = std::max(last, waves.cut().cuts.wave_of_expert(routing.expert[at] % shape.local_experts()));
          }
          REQUIRE(last == wave);
        }
      }
      REQUIRE(static_cast<int>(whole.size()) == shape.tokens);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/routing_file.h"

#include <cmath>

#include "reference_kernels/job/options.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
using namespace moescope::reference;

namespace {
std::string refusal(const std::string& path) {
  try {
    read_routing_counts(path, 4, 2);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "read";
}
}  // namespace

TEST_CASE("counts are read by column, steps add up, and experts are drawn as often as they say") {
  const test::ScratchFolder folder;
  const std::string path = folder / "counts.csv";
  test::write_file(path,
                   "step,layer,expert,tokens\n0,3,0,10\n0,3,1,20\r\n1,3,0,30\n1, 3, 2, 100\n\n0,7,3,5\n0,7,1,15\n");
  const auto counts = read_routing_counts(path, 4, 1);
  REQUIRE(counts->layers.size() == 2);
  CHECK(counts->layers[0] == std::vector<std::uint64_t>{40, 20, 100, 0});
  CHECK(counts->layers[1] == std::vector<std::uint64_t>{0, 15, 0, 5});
  MoeShape shape;
  shape.experts = 4;
  shape.top_k = 1;
  shape.tokens = 40'000;
  shape.ranks = 2;
  RoutingSpec spec;
  spec.kind = RoutingSpec::Kind::kCounts;
  spec.counts = counts;
  CHECK(to_string(spec) == "counts:" + path);
  const double draws = 80'000;
  for (int layer = 0; layer < 4; ++layer) {  // the file's layers in turn
    const auto& weights = counts->layers[static_cast<std::size_t>(layer % 2)];
    double sum = 0;
    for (const std::uint64_t weight : weights) sum += static_cast<double>(weight);
    std::vector<double> seen(4);
    for (const std::int32_t expert : Router(shape, spec, 3).route(0, layer).expert)
      ++seen[static_cast<std::size_t>(expert)];
    for (std::size_t expert = 0; expert < 4; ++expert) {
      const double share = static_cast<double>(weights[expert]) / sum;
      CHECK(std::fabs(seen[expert] - draws * share) <= 5 * std::sqrt(draws * share * (1 - share)));
    }
  }
}

TEST_CASE("a table that can't be routed by is refused by file and line") {
  const test::ScratchFolder folder;
  const std::string path = folder / "counts.csv";
  const std::pair<const char*, const char*> cases[] = {
      {"layer,expert\n0,1\n", ":1: has no column tokens: layer, expert, tokens are wanted"},
      {"layer,expert,tokens\n0,1,x\n", ":2: tokens must be a whole number"},
      {"layer,expert,tokens\n0,1,2\n0,4,2\n", ":3: expert must be a whole number below the job's 4 experts"},
      {"layer,expert,tokens\n-1,1,2\n", ":2: layer must be a whole number"},
      {"layer,expert,tokens\n0,1\n", ":2: tokens must be a whole number"},
      {"layer,expert,tokens\n", ": has no row: layer, expert, tokens are wanted"},
      {"layer,expert,tokens\n0,1,2\n0,2,0\n", ": layer 0 has tokens on 1 experts only, and a token goes to 2"},
  };
  for (const auto& [text, what] : cases) {
    test::write_file(path, text);
    CHECK(refusal(path) == path + what);
  }
  CHECK(refusal(folder / "none.csv") ==
        folder / "none.csv" + std::string(": can't be read: name a CSV table with the columns layer, expert, tokens"));
}

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/interval_set.h"

#include <bitset>
#include <random>

#include "tests/support/catch.h"

using moescope::Interval;
using moescope::IntervalSet;

namespace {

// The oracle: one bit an instant.
constexpr int kInstants = 256;
using Bits = std::bitset<kInstants>;

Bits bits(const std::vector<Interval>& intervals) {
  Bits result;
  for (const Interval& interval : intervals)
    for (auto t = interval.begin; t < interval.end; ++t) result.set(static_cast<std::size_t>(t));
  return result;
}

std::vector<Interval> random_intervals(std::mt19937& random) {
  std::vector<Interval> result(random() % 12);
  for (Interval& interval : result) {
    interval.begin = static_cast<moescope::Ns>(random() % kInstants);
    interval.end = std::min<moescope::Ns>(kInstants, interval.begin + static_cast<moescope::Ns>(random() % 40));
  }
  return result;
}

void require_canonical(const IntervalSet& set) {
  for (std::size_t i = 0; i < set.intervals().size(); ++i) {
    REQUIRE_FALSE(set.intervals()[i].empty());
    if (i > 0) REQUIRE(set.intervals()[i - 1].end < set.intervals()[i].begin);
  }
}

}  // namespace

TEST_CASE("touching intervals merge, empty ones vanish") {
  CHECK(IntervalSet{{0, 5}, {5, 9}, {20, 20}}.intervals() == std::vector<Interval>{{0, 9}});
  CHECK(IntervalSet{{3, 1}}.empty());
  CHECK(IntervalSet{}.measure() == 0);
}

TEST_CASE("set algebra agrees with one bit an instant") {
  std::mt19937 random(20240229);
  for (int round = 0; round < 2000; ++round) {
    const auto a = random_intervals(random), b = random_intervals(random);
    const IntervalSet sa = IntervalSet::from(a), sb = IntervalSet::from(b);
    const Bits ba = bits(a), bb = bits(b);
    const Interval window{static_cast<moescope::Ns>(random() % kInstants),
                          static_cast<moescope::Ns>(random() % kInstants)};
    const struct {
      IntervalSet set;
      Bits expected;
    } results[] = {{sa, ba},
                   {sa.unite(sb), ba | bb},
                   {sa.intersect(sb), ba & bb},
                   {sa.subtract(sb), ba & ~bb},
                   {sa.clip(window), ba & bits({window})}};
    for (const auto& result : results) {
      require_canonical(result.set);
      REQUIRE(bits(result.set.intervals()) == result.expected);
      REQUIRE(result.set.measure() == static_cast<moescope::Ns>(result.expected.count()));
    }
    const auto instant = static_cast<moescope::Ns>(random() % kInstants);
    REQUIRE(sa.contains(instant) == ba.test(static_cast<std::size_t>(instant)));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/span_table.h"

#include <algorithm>
#include <random>
#include <tuple>

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("rows are ordered by track, start and length, equals as they came, columns together") {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    INFO("round " << round);
    const std::size_t rows = random() % 60, run = 1 + random() % 40;
    const int tracks = 1 + static_cast<int>(random() % 6);
    const bool in_order = random() % 2 == 0;  // within tracks, in runs
    SpanTable table;
    std::vector<std::tuple<std::int32_t, Ns, Ns, std::size_t>> expected;  // track, start, -duration, row
    for (std::size_t row = 0; row < rows; ++row) {
      const auto track = static_cast<std::int32_t>(random() % static_cast<unsigned>(tracks));
      const Ns start = in_order ? static_cast<Ns>(row % run / 3) : static_cast<Ns>(random() % 20);
      const Ns duration = static_cast<Ns>(random() % 4);
      const auto mark = static_cast<std::int32_t>(row);
      table.push(start, duration, TrackId(track), NameId(mark), ContextId(mark + 1), mark + 2, mark + 3, mark + 4);
      expected.emplace_back(track, start, -duration, row);
    }
    std::stable_sort(expected.begin(), expected.end());
    const auto from = table.sort_by_track_and_start();
    REQUIRE(table.size() == rows);
    REQUIRE((from.empty() || from.size() == rows));
    for (std::size_t row = 0; row < rows; ++row) {
      const auto [track, start, minus_duration, was] = expected[row];
      REQUIRE(table.track[row] == track);
      REQUIRE(table.start[row] == start);
      REQUIRE(table.duration[row] == -minus_duration);
      REQUIRE((from.empty() ? row : from[row]) == was);
      const auto mark = static_cast<std::int32_t>(was);
      REQUIRE(table.name[row] == mark);
      REQUIRE(table.context[row] == mark + 1);
      REQUIRE(table.correlation[row] == mark + 2);
      REQUIRE(table.bytes[row] == mark + 3);
      REQUIRE(table.flops[row] == mark + 4);
    }
  }
}

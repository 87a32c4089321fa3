// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/tiling.h"

#include <algorithm>
#include <map>

#include "reference_kernels/wave_choice.h"
#include "tests/reference_kernels/random_cases.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;

TEST_CASE("even waves cover the experts once, with sizes that differ by at most one") {
  for (int experts = 1; experts <= 40; ++experts) {
    for (int waves = 1; waves <= experts; ++waves) {
      const Cuts cuts{experts, waves};
      int next = 0, smallest = experts, largest = 0;
      for (int wave = 0; wave < waves; ++wave) {
        REQUIRE(cuts.first_expert(wave) == next);
        next = cuts.first_expert(wave + 1);
        const int size = next - cuts.first_expert(wave);
        smallest = std::min(smallest, size);
        largest = std::max(largest, size);
        for (int e = cuts.first_expert(wave); e < next; ++e) REQUIRE(cuts.wave_of_expert(e) == wave);
      }
      REQUIRE(next == experts);
      REQUIRE(smallest >= 1);
      REQUIRE(largest - smallest <= 1);
    }
  }
}

// Every cell (expert, row, column) of a stage lies in one part and no other, and shares add up to one.
TEST_CASE("parts of a stage cover it once, whatever the schedule and the cut") {
  RandomCases random(91);
  constexpr int kWidth = 64;  // four panels
  for (int i = 0; i < 200; ++i) {
    ScheduleCut cut;
    cut.cuts = {random.integer(1, 5), 1, random.integer(0, 4), {}};
    cut.cuts.waves = random.integer(1, cut.cuts.experts);
    cut.chunks = random.integer(1, 7);
    cut.slices = random.integer(1, 6);
    const char* const names[] = {"naive", "comet", "wave", "interleaved"};
    const Tiling tiling(names[i % 4], cut);
    const std::int64_t rows = random.integer(0, 23),
                       own_first = rows == 0 ? 0 : random.integer(0, static_cast<int>(rows) - 1);
    for (Stage stage : kMoeStages) {
      std::map<std::tuple<int, std::int64_t, int>, int> cells;
      double share = 0;
      for (int part = 0; part < tiling.parts(stage); ++part) {
        const Tile tile = tiling.tile({stage, part});
        share += tiling.share({stage, part});
        const Columns columns = columns_of(tile.slice, tile.slices, kWidth);
        for (int expert = tile.expert_begin; expert < tile.expert_end; ++expert) {
          for (const RowRange& range : rows_of(tile, rows, own_first)) {
            for (std::int64_t row = range.first; row < range.end(); ++row) {
              if (columns.begin == 0 && columns.count() > 0)
                REQUIRE(tiling.part_of_row(stage, expert, row, rows, own_first) <= part);
              for (int column = columns.begin; column < columns.end; ++column) ++cells[{expert, row, column}];
            }
          }
        }
      }
      REQUIRE(share == Approx(1).epsilon(1e-12));
      REQUIRE(cells.size() == static_cast<std::size_t>(cut.cuts.experts * rows * kWidth));
      REQUIRE(std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.second == 1; }));
    }
  }
}

TEST_CASE("comet's first rows are the rank's own") {
  ScheduleCut cut;
  cut.chunks = 4;
  const Tiling comet("comet", cut);
  // 16 rows of which the rank's own are 10 to 13: chunk 0 is just those, chunk 1 goes on behind and around.
  const auto first = rows_of(comet.tile({Stage::kDispatch, 0}), 16, 10),
             next = rows_of(comet.tile({Stage::kDispatch, 1}), 16, 10);
  CHECK((first[0].first == 10 && first[0].count == 4 && first[1].count == 0));
  CHECK((next[0].first == 14 && next[0].count == 2 && next[1].first == 0 && next[1].count == 2));
}

TEST_CASE("columns are cut at whole panels and cover the width") {
  for (int width : {1, 15, 16, 17, 100, 128, 2048}) {
    for (int slices : {1, 2, 3, 9, 200}) {
      int next = 0;
      for (int slice = 0; slice < slices; ++slice) {
        const Columns columns = columns_of(slice, slices, width);
        REQUIRE(columns.begin == next);
        REQUIRE((columns.begin % 16 == 0 || columns.begin == width));
        next = columns.end;
      }
      REQUIRE(next == width);
    }
  }
}

// The published kernels' rule, worked out by hand for 148 workers.
TEST_CASE("the choice of waves: published shapes") {
  const MoeShape pro{7168, 3072, 384, 6, 61, 0, 8}, flash{4096, 2048, 256, 6, 43, 0, 8};
  const auto waves = [](MoeShape shape, int tokens) {
    shape.tokens = tokens;
    return choose_waves(shape, 148).waves;
  };
  CHECK(waves(pro, 1) == 1);
  for (int tokens : {8, 64, 512, 1024}) CHECK(waves(pro, tokens) == 6);
  CHECK(waves(pro, 4096) == 16);
  CHECK(waves(pro, 8192) == 24);
  CHECK(waves(flash, 1) == 1);
  for (int tokens : {8, 64, 512, 1024}) CHECK(waves(flash, tokens) == 2);
  CHECK(waves(flash, 4096) == 8);
  CHECK(waves(flash, 8192) == 16);
  for (MoeShape wide : {pro, flash}) {  // 64 ranks, few experts each: one wave for decoding
    wide.ranks = 64;
    for (int tokens : {1, 8, 64, 256}) CHECK(waves(wide, tokens) == 1);
  }
  MoeShape shape = pro;
  shape.tokens = 512;
  CHECK(choose_waves(shape, 148).reason.find("8 rather than 7 for a full last wave") != std::string::npos);
}

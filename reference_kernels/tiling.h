#pragma once
// SPDX-License-Identifier: Apache-2.0
// What each part of a stage covers: which local experts, which of their rows, which columns. The schedules know only
// numbers of parts; this gives them their meaning. The same on every rank; row counts are each rank's own.

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "reference_kernels/schedule/schedules.h"

namespace moescope::reference {

// A part of a stage. Rows of an expert are cut evenly: piece i of n is [i * rows / n, (i + 1) * rows / n).
struct Tile {
  int expert_begin = 0, expert_end = 1;  // local to the rank
  int row_piece = 0, row_pieces = 1;
  // Rows count from those of the rank's own tokens on, then the next rank's, ...: they need no wire, so they go first.
  bool own_first = false;
  // L1 and activation: columns of the inner width. L2: either its share of the inner width, added to what is there, or
  // columns of the result. Combine: columns of the result. Dispatch: all.
  int slice = 0, slices = 1;
  bool result_columns = false;  // slices are of the result's columns
};

// Consecutive rows of one expert on its owner, from the expert's first row.
struct RowRange {
  std::int64_t first = 0, count = 0;
  std::int64_t end() const { return first + count; }
};
// The rows of one expert that a tile covers: at most two ranges, the second empty where one will do. own_first_row:
// where the owner's own tokens lie among the expert's `rows`.
std::array<RowRange, 2> rows_of(const Tile& tile, std::int64_t rows, std::int64_t own_first_row);

// Columns [begin, end) of `width` that slice i of n covers: multiples of 16, as the packed weights want; some may be
// empty.
struct Columns {
  int begin = 0, end = 0;
  int count() const { return end - begin; }
};
Columns columns_of(int slice, int slices, int width);

class Tiling {
 public:
  // Of a schedule by name (THE list in schedules.h). wave_sizes: whole experts in each wave, empty: as even as can be.
  // Local experts must be at least the waves; in comet chunks cut tokens and columns.
  Tiling(std::string_view schedule, const ScheduleCut& cut, const std::vector<int>& wave_sizes = {});
  static Tiling whole(int local_experts);
  static Tiling waves(int local_experts, int waves, int blocks = 0);

  AnySchedule schedule(const EngineMap& engines) const;
  int local_experts() const { return cut_.cuts.experts; }
  int waves() const { return kind_ == Kind::kWave ? cut_.cuts.waves : 1; }
  const ScheduleCut& cut() const { return cut_; }
  int parts(Stage stage) const;
  Tile tile(Task task) const;
  // L2 is a launch of its own, not the next work of the one that did L1.
  bool l2_apart() const { return kind_ == Kind::kComet; }
  // Of the stage's time, where only that is given.
  double share(Task task) const;
  // The part of its stage that has this row of a local expert; the first of those that have some of its columns.
  int part_of_row(Stage stage, int local_expert, std::int64_t row, std::int64_t rows, std::int64_t own_first_row) const;

 private:
  enum class Kind { kNaive, kComet, kWave, kInterleaved } kind_;
  ScheduleCut cut_;
  std::shared_ptr<const std::vector<int>> ends_;  // what cut_.cuts.ends points to: copies share it
};

}  // namespace moescope::reference

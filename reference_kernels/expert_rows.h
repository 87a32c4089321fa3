#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where each rank's tokens lie among an expert's rows, and how many of them a tile covers. Rows of an expert are
// ordered by source rank, then by token.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference_kernels/moe_shape.h"
#include "reference_kernels/tiling.h"

namespace moescope::reference {

class ExpertRows {
 public:
  // counts[expert * ranks + source rank], from count_tokens.
  ExpertRows(const MoeShape& shape, const std::vector<std::int64_t>& counts)
      : shape_(shape), begins_(counts.size() + static_cast<std::size_t>(shape.experts)) {
    for (int expert = 0; expert < shape.experts; ++expert) {
      std::int64_t row = 0;
      for (int source = 0; source < shape.ranks; ++source) {
        begins_[at(expert, source)] = row;
        row += counts[static_cast<std::size_t>(expert) * static_cast<std::size_t>(shape.ranks) +
                      static_cast<std::size_t>(source)];
      }
      begins_[at(expert, shape.ranks)] = row;
    }
  }
  std::int64_t rows(int expert) const { return begins_[at(expert, shape_.ranks)]; }
  std::int64_t rows(int expert, int source) const { return begin(expert, source + 1) - begin(expert, source); }
  // Of a source's rows among the expert's.
  std::int64_t begin(int expert, int source) const { return begins_[at(expert, source)]; }
  std::array<RowRange, 2> tile_rows(const Tile& tile, int expert) const {
    return rows_of(tile, rows(expert), begin(expert, shape_.owner(expert)));
  }
  // A source's rows in the tile.
  std::int64_t tile_rows(const Tile& tile, int expert, int source) const {
    std::int64_t sum = 0;
    for (const RowRange& range : tile_rows(tile, expert)) {
      sum += std::max<std::int64_t>(
          0, std::min(range.end(), begin(expert, source + 1)) - std::max(range.first, begin(expert, source)));
    }
    return sum;
  }

 private:
  std::size_t at(int expert, int source) const {
    return static_cast<std::size_t>(expert) * static_cast<std::size_t>(shape_.ranks + 1) +
           static_cast<std::size_t>(source);
  }
  MoeShape shape_;
  std::vector<std::int64_t> begins_;  // [expert][source], one more for the end
};

}  // namespace moescope::reference

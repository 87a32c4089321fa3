#pragma once
// SPDX-License-Identifier: Apache-2.0
// Gives equal places one number while they are being worked out. A row's neighbours mostly share its place.

#include <unordered_map>

#include "analyzer/stage/structure.h"

namespace moescope {

class PlaceTable {
 public:
  explicit PlaceTable(Structure& structure);
  std::int32_t number(const Place& place);
  void set(std::size_t row, const Place& place) { structure_.place[row] = number(place); }
  const Place& at(std::size_t row) const { return structure_.at(row); }

 private:
  struct Hash {
    std::size_t operator()(const Place& place) const;
  };
  Structure& structure_;
  std::unordered_map<Place, std::int32_t, Hash> numbers_;
  std::int32_t last_ = -1;
};

}  // namespace moescope

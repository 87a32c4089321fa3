#pragma once
// SPDX-License-Identifier: Apache-2.0
// Gives equal places one number while they are being worked out. A row's neighbours mostly share its place. changed()
// and PlaceChanges may be used on several threads at once, each for rows of its own; all else by one thread alone.

#include <mutex>
#include <unordered_map>

#include "analyzer/stage/structure.h"

namespace moescope {

class PlaceTable {
 public:
  explicit PlaceTable(Structure& structure);
  std::int32_t number(const Place& place);
  void set(std::size_t row, const Place& place) { structure_.place[row] = number(place); }
  const Place& at(std::size_t row) const { return structure_.at(row); }
  // The number of a place after a change: change(Place&).
  template <class Change>
  std::int32_t changed(std::int32_t place, Change change) {
    const std::lock_guard lock(mutex_);
    Place now = structure_.places[static_cast<std::size_t>(place)];
    change(now);
    return number(now);
  }
  std::int32_t& number_of_row(std::size_t row) { return structure_.place[row]; }

 private:
  struct Hash {
    std::size_t operator()(const Place& place) const;
  };
  Structure& structure_;
  std::unordered_map<Place, std::int32_t, Hash> numbers_;
  std::int32_t last_ = -1;
  std::mutex mutex_;
};

// One change after another to the places of rows; the same change of the same place is looked up once.
class PlaceChanges {
 public:
  explicit PlaceChanges(PlaceTable& places) : places_(places) {}
  // what: a number for the change, equal for equal ones.
  template <class Change>
  void apply(std::size_t row, std::int64_t what, Change change) {
    std::int32_t& place = places_.number_of_row(row);
    if (place != old_ || what != what_) {
      old_ = place;
      what_ = what;
      new_ = places_.changed(place, change);
    }
    place = new_;
  }

 private:
  PlaceTable& places_;
  std::int32_t old_ = -1, new_ = -1;
  std::int64_t what_ = -1;
};

}  // namespace moescope

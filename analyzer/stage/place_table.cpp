// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/place_table.h"

namespace moescope {

PlaceTable::PlaceTable(Structure& structure) : structure_(structure) {
  for (std::size_t i = 0; i < structure.places.size(); ++i)
    numbers_.emplace(structure.places[i], static_cast<std::int32_t>(i));
}

std::size_t PlaceTable::Hash::operator()(const Place& place) const {
  std::size_t hash = 0;
  for (const std::int32_t value : {place.step.value, place.layer.value, place.micro_batch.value, place.wave.value})
    hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

std::int32_t PlaceTable::number(const Place& place) {
  // Ranks pass through the same places in the same order: what comes next is mostly the next one.
  for (const std::int32_t guess : {last_, last_ + 1})
    if (guess >= 0 && static_cast<std::size_t>(guess) < structure_.places.size() &&
        structure_.places[static_cast<std::size_t>(guess)] == place)
      return last_ = guess;
  const auto [known, fresh] = numbers_.try_emplace(place, static_cast<std::int32_t>(structure_.places.size()));
  if (fresh) structure_.places.push_back(place);
  return last_ = known->second;
}

}  // namespace moescope

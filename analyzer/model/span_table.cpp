// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/span_table.h"

#include <algorithm>
#include <numeric>

namespace moescope {

void SpanTable::reserve(std::size_t rows) {
  start.reserve(rows);
  duration.reserve(rows);
  track.reserve(rows);
  name.reserve(rows);
  context.reserve(rows);
  correlation.reserve(rows);
  bytes.reserve(rows);
  flops.reserve(rows);
}

void SpanTable::push(Ns start_ns, Ns duration_ns, TrackId track_id, NameId name_id, ContextId context_id,
                     std::int64_t correlation_id, std::int64_t wire_bytes, double flop_count) {
  start.push_back(start_ns);
  duration.push_back(duration_ns);
  track.push_back(track_id.value);
  name.push_back(name_id.value);
  context.push_back(context_id.value);
  correlation.push_back(correlation_id);
  bytes.push_back(wire_bytes);
  flops.push_back(flop_count);
}

std::vector<std::size_t> SpanTable::sort_by_track_and_start() {
  // Longer first among equals, so that an enclosing range comes before what it encloses.
  const auto before = [this](std::size_t a, std::size_t b) {
    if (track[a] != track[b]) return track[a] < track[b];
    if (start[a] != start[b]) return start[a] < start[b];
    return duration[a] > duration[b];
  };
  bool sorted = true;
  for (std::size_t i = 1; i < size() && sorted; ++i) sorted = !before(i, i - 1);
  if (sorted) return {};
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), before);
  const auto apply = [&order](auto& column) {
    auto moved = column;
    for (std::size_t i = 0; i < order.size(); ++i) moved[i] = column[order[i]];
    column = std::move(moved);
  };
  apply(start);
  apply(duration);
  apply(track);
  apply(name);
  apply(context);
  apply(correlation);
  apply(bytes);
  apply(flops);
  return order;
}

}  // namespace moescope

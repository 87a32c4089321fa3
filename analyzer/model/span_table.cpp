// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/span_table.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

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

// Rows come nearly in order within their track: a counting sort by track, then only the tracks that need it. Besides
// the columns it takes 4 bytes a row and one column at a time.
std::vector<std::uint32_t> SpanTable::sort_by_track_and_start() {
  // Longer first among equals, so that an enclosing range comes before what it encloses.
  const auto starts_before = [this](std::size_t a, std::size_t b) {
    return start[a] != start[b] ? start[a] < start[b] : duration[a] > duration[b];
  };
  bool sorted = true;
  std::int32_t tracks = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (sorted && i > 0) sorted = track[i] != track[i - 1] ? track[i] > track[i - 1] : !starts_before(i, i - 1);
    tracks = std::max(tracks, track[i] + 1);
  }
  if (sorted) return {};
  if (size() > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("more than 4,294,967,295 spans");
  std::vector<std::size_t> first(static_cast<std::size_t>(tracks) + 1);
  for (const std::int32_t t : track) ++first[static_cast<std::size_t>(t) + 1];
  for (std::size_t t = 1; t < first.size(); ++t) first[t] += first[t - 1];
  std::vector<std::uint32_t> order(size());
  for (std::size_t i = 0; i < size(); ++i)
    order[first[static_cast<std::size_t>(track[i])]++] = static_cast<std::uint32_t>(i);
  // first[t] is now where track t ends.
  for (std::size_t t = 0; t + 1 < first.size(); ++t) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(t == 0 ? 0 : first[t - 1]);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(first[t]);
    if (!std::is_sorted(begin, end, starts_before)) std::stable_sort(begin, end, starts_before);
  }
  const auto apply = [&order](auto& column) {
    std::remove_reference_t<decltype(column)> moved;
    moved.reserve(order.size());
    for (const std::uint32_t from : order) moved.push_back(column[from]);
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

void SpanTable::merge_by_start(std::vector<std::uint32_t>& rows, std::vector<std::size_t> runs) const {
  const auto before = [this](std::uint32_t a, std::uint32_t b) { return start[a] < start[b]; };
  std::vector<std::uint32_t> merged;
  while (runs.size() > 1) {
    merged.resize(rows.size());
    std::vector<std::size_t> longer;
    runs.push_back(rows.size());
    for (std::size_t run = 0; run + 1 < runs.size(); run += 2) {
      const auto at = [&](std::size_t i) { return rows.begin() + static_cast<std::ptrdiff_t>(i); };
      const auto middle = runs[run + 1], end = run + 2 < runs.size() ? runs[run + 2] : middle;
      longer.push_back(runs[run]);
      std::merge(at(runs[run]), at(middle), at(middle), at(end),
                 merged.begin() + static_cast<std::ptrdiff_t>(runs[run]), before);
    }
    rows.swap(merged);
    runs = std::move(longer);
  }
}

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// All spans of a trace, one column an attribute: analyses touch two or three columns of millions of rows. After
// Trace::finish() rows are ordered by (track, start), and each track's rows are one contiguous range.

#include <cstdint>
#include <vector>

#include "analyzer/model/id.h"
#include "analyzer/model/time.h"

namespace moescope {

struct SpanTable {
  std::vector<Ns> start;  // absolute on the clock of the span's track
  std::vector<Ns> duration;
  std::vector<std::int32_t> track, name, context;  // indices into the Trace's tables
  std::vector<std::int64_t> correlation;           // 0 none; < 0: see sequence_of
  std::vector<std::int64_t> bytes;                 // on the wire, -1 unknown
  std::vector<double> flops;                       // -1 unknown

  std::size_t size() const { return start.size(); }
  Ns end(std::size_t row) const { return start[row] + duration[row]; }
  Interval interval(std::size_t row) const { return {start[row], end(row)}; }
  void reserve(std::size_t rows);
  void push(Ns start_ns, Ns duration_ns, TrackId track_id, NameId name_id, ContextId context_id,
            std::int64_t correlation_id, std::int64_t wire_bytes, double flop_count);
  // Returns where each row came from, by row; empty where they were in order already.
  std::vector<std::uint32_t> sort_by_track_and_start();
  // Puts rows in the order of their starts, equal ones in that of rows. runs: where each stretch that is in order
  // already begins, the first one's 0 included; a merge of these, two by two.
  void merge_by_start(std::vector<std::uint32_t>& rows, std::vector<std::size_t> runs) const;
};

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where spans lie: the tracks, clocks and ranks of the run file, made when first needed. The flush thread's alone.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/trace/trace_writer.h"

namespace moescope::collector {

class LaneBook {
 public:
  // base_ns: clock 0's zero.
  LaneBook(trace::TraceWriter& writer, std::int64_t base_ns);

  // The lane of a thread: one track for each rank, clock and lane name it has. An empty lane: the thread's own name.
  struct ThreadLane {
    std::uint32_t serial, os_tid;
    std::int32_t rank, kind;
    std::uint32_t clock;
    std::string_view lane;
  };
  std::int32_t thread_track(const ThreadLane& lane);
  // A named lane of a rank, whoever reports its spans.
  std::int32_t named_track(std::int32_t rank, std::string_view lane, std::int32_t kind, std::uint32_t clock);
  void name_thread(std::uint32_t os_tid, std::string_view name);

  // Time since the clock's base. The base of a job's clock is its first time, of a virtual one 0.
  std::int64_t relative(std::uint32_t clock, std::int64_t time_ns);
  void know_rank(const trace::RankRow& row);

 private:
  std::int32_t add_track(const std::string& key, trace::TrackRow row);
  std::string name_of(std::uint32_t os_tid);

  trace::TraceWriter& writer_;
  std::unordered_map<std::string, std::int32_t> tracks_;
  std::vector<trace::TrackRow> rows_;
  std::vector<bool> own_name_;  // of each track: named by its thread, and renamed with it
  std::map<std::uint32_t, std::string> thread_names_;
  std::map<std::uint32_t, std::int64_t> bases_;
  std::map<std::int32_t, trace::RankRow> ranks_;
  std::string key_;  // scratch
};

}  // namespace moescope::collector

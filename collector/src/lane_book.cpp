// SPDX-License-Identifier: Apache-2.0
#include "collector/src/lane_book.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "collector/src/clock_sync.h"
#include "collector/src/job_clocks.h"

namespace moescope::collector {
namespace {

std::string name_given_by_system(std::uint32_t os_tid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/comm", os_tid);
  char name[64];
  ssize_t length = -1;
  if (const int file = open(path, O_RDONLY | O_CLOEXEC); file >= 0) {
    length = read(file, name, sizeof name);
    close(file);
  }
  while (length > 0 && name[length - 1] == '\n') --length;
  return length > 0 ? std::string(name, static_cast<std::size_t>(length)) : "thread";
}

}  // namespace

LaneBook::LaneBook(trace::TraceWriter& writer, std::int64_t base_ns) : writer_(writer) {
  writer_.clock({kMonotonicClock, MOESCOPE_CLOCK_MONOTONIC, "monotonic", base_ns});
  bases_[kMonotonicClock] = base_ns;
}

std::int32_t LaneBook::thread_track(const ThreadLane& lane) {
  key_ = "t" + std::to_string(lane.serial) + "|" + std::to_string(lane.rank) + "|" + std::to_string(lane.clock) + "|" +
         std::to_string(lane.kind) + "|";
  key_ += lane.lane;
  if (const auto known = tracks_.find(key_); known != tracks_.end()) return known->second;
  trace::TrackRow row;
  row.rank = lane.rank;
  row.device = lane.kind == MOESCOPE_TRACK_HOST_THREAD ? -1 : 0;
  row.kind = lane.kind;
  row.clock = static_cast<std::int32_t>(lane.clock);
  row.os_tid = lane.os_tid;
  row.name = lane.lane.empty() ? name_of(lane.os_tid) : std::string(lane.lane);
  const std::int32_t id = add_track(key_, row);
  own_name_[static_cast<std::size_t>(id)] = lane.lane.empty();
  return id;
}

std::int32_t LaneBook::named_track(std::int32_t rank, std::string_view lane, std::int32_t kind, std::uint32_t clock) {
  key_ = "n" + std::to_string(rank) + "|" + std::to_string(clock) + "|" + std::to_string(kind) + "|";
  key_ += lane;
  if (const auto known = tracks_.find(key_); known != tracks_.end()) return known->second;
  trace::TrackRow row;
  row.rank = rank;
  row.device = kind == MOESCOPE_TRACK_HOST_THREAD ? -1 : 0;
  row.kind = kind;
  row.clock = static_cast<std::int32_t>(clock);
  row.name = lane;
  return add_track(key_, row);
}

std::int32_t LaneBook::add_track(const std::string& key, trace::TrackRow row) {
  relative(static_cast<std::uint32_t>(row.clock), 0);  // nothing without its clock
  row.id = static_cast<std::int32_t>(rows_.size());
  rows_.push_back(row);
  own_name_.push_back(false);
  tracks_.emplace(key, row.id);
  writer_.track(row);
  return row.id;
}

std::string LaneBook::name_of(std::uint32_t os_tid) {
  const auto said = thread_names_.find(os_tid);
  return said != thread_names_.end() ? said->second : name_given_by_system(os_tid);
}

void LaneBook::name_thread(std::uint32_t os_tid, std::string_view name) {
  thread_names_[os_tid] = name;
  for (trace::TrackRow& row : rows_) {
    if (row.os_tid != os_tid || !own_name_[static_cast<std::size_t>(row.id)]) continue;
    row.name = name;
    writer_.track(row);
  }
}

std::int64_t LaneBook::relative(std::uint32_t clock, std::int64_t time_ns) {
  auto base = bases_.find(clock);
  if (base == bases_.end()) {
    const JobClock of = job_clock(clock);
    base = bases_.emplace(clock, of.kind == MOESCOPE_CLOCK_VIRTUAL ? 0 : time_ns).first;
    writer_.clock({static_cast<std::int32_t>(clock), of.kind, of.name, base->second});
  }
  return time_ns - base->second;
}

void LaneBook::know_rank(const trace::RankRow& row) {
  if (row.rank < 0) return;
  trace::RankRow& known = ranks_[row.rank];
  const trace::RankRow before = known;
  known.rank = row.rank;
  if (row.world_size >= 0) known.world_size = row.world_size;
  if (row.local_rank >= 0) known.local_rank = row.local_rank;
  if (row.node >= 0) known.node = row.node;
  if (before.rank != known.rank || before.world_size != known.world_size || before.node != known.node)
    writer_.rank(known);
}

}  // namespace moescope::collector

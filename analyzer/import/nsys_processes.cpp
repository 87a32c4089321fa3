// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nsys_processes.h"

#include <algorithm>

#include "analyzer/model/trace_error.h"

namespace moescope {

std::size_t NsysProcesses::process(std::int64_t key) {
  const auto [found, fresh] = index_.try_emplace(key, processes_.size());
  if (fresh) {
    processes_.emplace_back();
    processes_.back().key = key;
  }
  return found->second;
}

TrackId NsysProcesses::stream(std::int64_t process, std::int64_t device, std::int64_t stream) {
  const StreamKey key{process, device, stream};
  Recent& recent = recent_[StreamHash{}(key) % 64];
  if (recent.track.valid() && recent.key == key) return recent.track;
  const auto [found, fresh] = streams_.try_emplace(key, TrackId());
  if (fresh) found->second = new_stream(key);
  recent = {key, found->second};
  return found->second;
}

TrackId NsysProcesses::new_stream(const StreamKey& key) {
  any_device_work_ = true;
  Process& owner = processes_[process(key.process)];
  Track track;
  track.device = key.device >= 0 && key.device < 1 << 20 ? static_cast<std::int32_t>(key.device) : 0;
  track.kind = TrackKind::kGPU_STREAM;
  track.stream = key.stream;
  track.name = "stream " + std::to_string(key.stream);
  if (owner.first_device < 0) owner.first_device = track.device;
  owner.devices.insert(track.device);
  const TrackId id = builder_.track(std::move(track));
  owner.tracks.push_back(id);
  return id;
}

TrackId NsysProcesses::thread(std::int64_t global_tid) {
  if (last_known_ && last_tid_ == global_tid) return last_thread_;
  const auto [found, fresh] = threads_.try_emplace(global_tid, TrackId());
  if (fresh) {
    std::int64_t key = nsys_process_of(global_tid);
    if (any_device_work_ && index_.count(key) == 0 && index_.size() == 1 && index_.count(kUnnamed) == 1) key = kUnnamed;
    if (!any_device_work_ || index_.count(key) > 0) {
      Track track;
      track.os_tid = nsys_tid(global_tid);
      track.name = "thread " + std::to_string(track.os_tid);
      found->second = builder_.track(std::move(track));
      processes_[process(key)].tracks.push_back(found->second);
    }
  }
  last_known_ = true;
  last_tid_ = global_tid;
  return last_thread_ = found->second;
}

void NsysProcesses::name_thread(std::int64_t global_tid, const std::string& name) {
  const auto found = threads_.find(global_tid);
  if (found == threads_.end() || !found->second.valid() || name.empty()) return;
  builder_.trace().tracks[static_cast<std::size_t>(found->second.value)].name = name;
}

std::vector<std::int64_t> NsysProcesses::ranked() const {
  std::vector<const Process*> order;
  for (const Process& one : processes_)
    if (one.first_device >= 0 || !any_device_work_) order.push_back(&one);
  std::sort(order.begin(), order.end(), [](const Process* a, const Process* b) {
    const std::int32_t left = a->devices.empty() ? -1 : *a->devices.begin();
    const std::int32_t right = b->devices.empty() ? -1 : *b->devices.begin();
    return left != right ? left < right : a->key < b->key;
  });
  std::vector<std::int64_t> keys;
  for (const Process* one : order) keys.push_back(one->key);
  return keys;
}

std::set<std::int32_t> NsysProcesses::devices_of(std::int64_t process) const {
  const auto found = index_.find(process);
  return found == index_.end() ? std::set<std::int32_t>{} : processes_[found->second].devices;
}

RankId NsysProcesses::rank_of(std::int64_t process) const {
  const auto found = index_.find(process);
  return found == index_.end() ? RankId() : processes_[found->second].rank;
}

std::size_t NsysProcesses::settle(const std::string& path, ClockId clock,
                                  const std::map<std::int64_t, NsysRankSaid>& said, const std::string& host) {
  const std::vector<std::int64_t> order = ranked();
  std::set<std::int32_t> taken, mine;
  for (const Rank& rank : builder_.trace().ranks) taken.insert(rank.rank.value);
  bool all_said = true;
  for (const std::int64_t key : order) {
    const auto found = said.find(key);
    all_said = all_said && found != said.end() && found->second.rank >= 0 && mine.insert(found->second.rank).second;
  }
  std::size_t assumed = 0;
  std::int32_t lowest = 0;
  for (const std::int64_t key : order) {
    Process& one = processes_[index_.at(key)];
    Rank row;
    row.host = host;
    const auto found = said.find(key);
    if (found != said.end()) {
      row.world_size = found->second.world_size;
      row.local_rank = found->second.local_rank;
    }
    if (all_said) {
      row.rank = RankId(found->second.rank);
      if (taken.count(row.rank.value) > 0)
        throw TraceError(path, "process " + std::to_string(nsys_pid(key)),
                         "rank " + std::to_string(row.rank.value) + " was already read from another file",
                         "give each rank's export once");
    } else {
      while (taken.count(lowest) > 0) ++lowest;
      row.rank = RankId(lowest);
      ++assumed;
    }
    taken.insert(row.rank.value);
    one.rank = row.rank;
    builder_.rank(row);
    for (const TrackId track : one.tracks) {
      Track& settled = builder_.trace().tracks[static_cast<std::size_t>(track.value)];
      settled.rank = row.rank;
      settled.clock = clock;
    }
  }
  return assumed;
}

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Processes, threads and streams of one export as tracks. A process that has device work is a rank; which one is
// settled last, from what NCCL, the environment or else the order of devices says.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/model/trace.h"

namespace moescope {

// Serialized identifiers: vm, process, thread in 16, 24 and 24 bits; a process' has no thread.
constexpr std::int64_t nsys_process_of(std::int64_t global_tid) {
  return global_tid & ~std::int64_t{0xffffff};
}
constexpr std::int64_t nsys_pid(std::int64_t global) {
  return (global >> 24) & 0xffffff;
}
constexpr std::int64_t nsys_tid(std::int64_t global_tid) {
  return global_tid & 0xffffff;
}

struct NsysRankSaid {  // by NCCL or the environment
  std::int32_t rank = -1, world_size = -1, local_rank = -1;
};

class NsysProcesses {
 public:
  static constexpr std::int64_t kUnnamed = -1;  // of tables without globalPid

  explicit NsysProcesses(TraceBuilder& builder) : builder_(builder) {}
  TrackId stream(std::int64_t process, std::int64_t device, std::int64_t stream);
  // Not valid: a thread of a process without device work in a file where others have some. Asked for after all streams.
  TrackId thread(std::int64_t global_tid);
  bool has_thread(std::int64_t global_tid) const { return threads_.count(global_tid) > 0; }
  void name_thread(std::int64_t global_tid, const std::string& name);

  // The processes that are ranks, by the device they first used, then by their identifier.
  std::vector<std::int64_t> ranked() const;
  std::set<std::int32_t> devices_of(std::int64_t process) const;
  // Gives each a rank: what was said, where that is said of all and each differs and no other file has it; else the
  // lowest free ones in the order of ranked(). Returns how many were assumed. Throws TraceError: a rank twice.
  std::size_t settle(const std::string& path, ClockId clock, const std::map<std::int64_t, NsysRankSaid>& said,
                     const std::string& host);
  RankId rank_of(std::int64_t process) const;  // after settle()

 private:
  struct Process {
    std::int64_t key = 0;
    std::int32_t first_device = -1;  // -1: no device work
    std::set<std::int32_t> devices;
    std::vector<TrackId> tracks;
    RankId rank;
  };
  struct StreamKey {
    std::int64_t process, device, stream;
    friend bool operator==(const StreamKey&, const StreamKey&) = default;
  };
  struct StreamHash {
    std::size_t operator()(const StreamKey& key) const {
      std::uint64_t hash = static_cast<std::uint64_t>(key.process) * 0x9e3779b97f4a7c15ull;
      hash = (hash ^ static_cast<std::uint64_t>(key.device)) * 0xff51afd7ed558ccdull;
      hash = (hash ^ static_cast<std::uint64_t>(key.stream)) * 0xc4ceb9fe1a85ec53ull;
      return static_cast<std::size_t>(hash ^ hash >> 33);
    }
  };
  std::size_t process(std::int64_t key);
  TrackId new_stream(const StreamKey& key);
  TraceBuilder& builder_;
  std::vector<Process> processes_;
  std::unordered_map<std::int64_t, std::size_t> index_;
  std::unordered_map<StreamKey, TrackId, StreamHash> streams_;
  std::unordered_map<std::int64_t, TrackId> threads_;
  bool any_device_work_ = false;
  // Rows of a few streams follow each other in any order: these keep the table above out of the way.
  struct Recent {
    StreamKey key{};
    TrackId track;
  };
  std::array<Recent, 64> recent_;
  std::int64_t last_tid_ = 0;
  TrackId last_thread_;
  bool last_known_ = false;
};

}  // namespace moescope

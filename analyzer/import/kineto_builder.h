#pragma once
// SPDX-License-Identifier: Apache-2.0
// Turns the events of one Kineto file into rows of a TraceBuilder. Things the file may say late (its rank, the base of
// its times, names of its threads) are settled in finish().

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/import/kineto_collectives.h"
#include "analyzer/import/kineto_event.h"
#include "analyzer/model/trace.h"

namespace moescope {

class KinetoBuilder {
 public:
  KinetoBuilder(const std::string& path, TraceBuilder& builder);
  void event(const KinetoEvent& event);
  void distributed(KinetoDistributed said) { said_ = std::move(said); }
  void host(std::string name) { host_ = std::move(name); }
  void trace_name(std::string name) { trace_name_ = std::move(name); }
  void device(const KinetoDevice& device) { devices_.push_back(device); }
  void base_ns(std::int64_t base) { base_ns_ = base; }
  // So much of the file is read: room for the rest is made once, as what came so far suggests, and not by doubling.
  void foresee(std::uint64_t bytes_read, std::uint64_t bytes_in_all);
  void early_end(std::string reason) { early_end_ = std::move(reason); }
  void mended(std::uint64_t bytes) { mended_bytes_ = bytes; }
  // Ranks, steps, names, and the file's own row. Throws TraceError: no event, a rank another file has.
  void finish();

 private:
  struct Lane {  // a track, and its open B events
    TrackId track;
    std::string process, thread;  // for the names metadata gives
    struct Begun {
      NameId name;
      Ns start;
      ContextId context;
    };
    std::vector<Begun> begun;
  };
  Lane& host_lane(const KinetoEvent& event);
  Lane& gpu_lane(const KinetoEvent& event);
  Lane& lane(const std::string& key, const KinetoEvent& event, TrackKind kind, std::int32_t device);
  void metadata(const KinetoEvent& event);
  void complete(const KinetoEvent& event, KinetoCategory category);
  void begin_or_end(const KinetoEvent& event, KinetoCategory category);
  void span(Ns start, Ns duration, Lane& lane, NameId name, ContextId context, std::int64_t correlation,
            std::int64_t bytes);
  ContextId context_of(const KinetoEvent& event, KinetoCategory category);
  void note_step(std::string_view name, Ns start, Ns duration);
  void close_open();
  RankId settle_rank();
  std::string settle_host();
  void settle_tracks(RankId rank);
  void settle_steps(RankId rank);
  void settle_devices(RankId rank);
  void diagnostic(const char* severity, const char* code, std::uint64_t count, std::string detail);

  const std::string& path_;
  TraceBuilder& builder_;
  std::size_t first_row_;
  ClockId clock_;
  std::unordered_map<std::string, Lane> lanes_;
  // Neighbouring events mostly share a lane, or are of a few streams; and of few kinds.
  struct RecentStream {
    Lane* lane = nullptr;
    std::int64_t device = -1;
    std::string stream;
  };
  Lane* last_host_ = nullptr;
  std::array<RecentStream, 8> recent_streams_;
  std::array<ContextId, kKinetoCategories> category_contexts_;
  std::string lane_key_;                                                     // scratch
  std::map<std::pair<std::string, std::string>, std::string> thread_names_;  // by process and thread
  struct StepSeen {
    std::int64_t number;
    Interval window;
  };
  std::vector<StepSeen> steps_;
  std::unordered_map<std::int64_t, std::size_t> step_index_;    // by number
  std::map<std::string, std::uint64_t, std::less<>> left_out_;  // by category
  std::uint64_t without_time_ = 0, unmatched_ends_ = 0;
  KinetoCollectives collectives_;
  KinetoDistributed said_;
  std::string host_, trace_name_;
  std::string host_process_;  // of the first host event
  std::size_t launches_ = 0, device_work_ = 0;
  std::vector<KinetoDevice> devices_;
  std::int64_t base_ns_ = 0;
  std::string early_end_;
  std::uint64_t mended_bytes_ = 0;
  Ns first_ = 0, last_ = 0;
};

}  // namespace moescope

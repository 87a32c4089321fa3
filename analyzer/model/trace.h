#pragma once
// SPDX-License-Identifier: Apache-2.0
// A whole run in memory, whatever it came from: plain tables that mirror the run file's, with ids made global over the
// files of the run. Importers and the run-file reader fill it through TraceBuilder; everything after import only reads
// it, from any number of threads.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/id.h"
#include "analyzer/model/span_table.h"
#include "analyzer/model/stage.h"
#include "analyzer/model/time.h"

namespace moescope {

struct SourceFile {
  std::string path, format;                               // format: moescope, or the importer's name
  RankId rank;                                            // the one whose it is; not valid: several, or unknown
  std::string file_uuid, run_id, host, executable, argv;  // argv: JSON array
  std::int64_t pid = -1;
  std::int64_t started_unix_ns = 0;
  bool cut_short = false;  // no clean end: killed, still running, or a truncated file that was salvaged
  std::string cut_short_reason;
};
struct Clock {
  ClockKind kind = ClockKind::kMONOTONIC;
  std::string name;
  std::string boot_id;  // equal boot_id and kind monotonic: the same clock
};
struct Rank {
  RankId rank;
  std::int32_t world_size = -1, local_rank = -1, node = -1;
  std::string host;
};
struct Device {
  DeviceKey key;
  std::string name;
  double peak_flops = -1, link_gb_s = -1;  // FLOP/s; 1e9 bytes/s, one direction; -1 unknown
  LinkKind link_kind = LinkKind::kUNKNOWN;
  std::int32_t sm_count = -1;
  std::string source;
};
struct Model {
  std::string name;
  std::int32_t hidden = -1, intermediate = -1, experts = -1, top_k = -1, layers = -1, shared_experts = -1, gated = -1;
  double dispatch_bytes_per_element = -1, combine_bytes_per_element = -1, weight_bytes_per_element = -1;
  std::int32_t synthetic_routing = -1;  // 1 forced or made up, 0 real, -1 unknown
  std::string source;
};
struct Track {
  RankId rank;
  std::int32_t device = -1;  // -1: host
  TrackKind kind = TrackKind::kHOST_THREAD;
  ClockId clock;
  std::int64_t os_tid = -1, stream = -1;
  std::string name;
  std::size_t first_row = 0, rows = 0;  // its range in Trace::spans, set by finish()
  bool is_execution() const { return kind != TrackKind::kHOST_THREAD; }
};
// Bits of Context::flags; the run file stores them as they are.
inline constexpr std::int32_t kContextUnterminated = 1;  // closed by the reader or writer, its end was never seen
inline constexpr std::int32_t kContextNoTimestamps = 2;  // start = end = 0 in the source
inline constexpr std::int32_t kContextOperator = 4;  // a range a framework puts around its operators, not the user's
struct Context {                                     // what a span is about; as said by the record, before attribution
  SpanKind kind = SpanKind::kRANGE;
  CopyKind copy_kind = CopyKind::kNONE;
  Stage stage = Stage::kUNATTRIBUTED, role = Stage::kUNATTRIBUTED;
  Part part = Part::kPAYLOAD;
  Pass pass = Pass::kUNKNOWN;
  StepId step;
  LayerId layer;
  MicroBatchId micro_batch;
  WaveId wave;
  std::int32_t chunk = -1;
  Source source = Source::kANNOTATION;
  std::int32_t flags = 0;
  friend bool operator==(const Context&, const Context&) = default;
};
struct Step {
  RankId rank;
  StepId step;              // ordinal within its process and rank
  std::int64_t number = 0;  // the user's
  StepKind kind = StepKind::kUNKNOWN;
  ClockId clock;
  Interval window;  // absolute on its clock
  bool ended = true;
};
struct RouterLoad {
  StepId step;
  LayerId layer;
  MicroBatchId micro_batch;
  RankId rank;
  ExpertId expert;
  Side side = Side::kRECEIVED;
  std::int64_t assigned = 0, kept = 0;
};
struct PeerTraffic {
  StepId step;
  LayerId layer;
  MicroBatchId micro_batch;
  WaveId wave;
  Stage stage = Stage::kUNATTRIBUTED;
  Pass pass = Pass::kUNKNOWN;
  RankId source, destination;
  std::int64_t bytes = 0;  // source == destination: stayed local
};
struct CommGroup {
  GroupKind kind = GroupKind::kUNKNOWN;
  std::string name;
  std::vector<std::int32_t> ranks;  // in the group's order; empty unknown
};
struct Collective {        // one rank's part in one collective or point-to-point call
  std::int64_t span = -1;  // row of Trace::spans, -1: its span was not recorded
  RankId rank;
  std::int32_t comm_group = -1;  // index into Trace::comm_groups, -1 unknown
  std::int64_t sequence = -1;    // n-th operation of its group as the record numbers it, -1 unknown
  NameId op, element_type;       // "all_to_allv", "BFloat16": as the record says it; not valid where unknown
  std::int64_t elements_in = -1, elements_out = -1;  // of this rank's buffers, -1 unknown
  std::int64_t bytes_in = -1, bytes_out = -1;        // logical: local parts are in it, copies are not deduplicated
  std::int32_t group_size = -1, root_or_peer = -1;
  std::vector<std::int64_t> in_splits, out_splits;  // elements to and from each member, in group order; empty unknown
  std::string algorithm, protocol;                  // empty unknown
  std::int32_t channels = -1;
};
struct ExpertPlacement {
  std::int64_t valid_from_step = 0;
  std::int32_t layer = -1, physical = -1, logical = -1;
  RankId rank;
};
struct Link {
  RankId rank;
  LinkKind kind = LinkKind::kUNKNOWN;
  std::string name;
  double peak_gb_s = -1;  // 1e9 bytes/s, one direction; -1 unknown
};
struct LinkSample {
  LinkId link;
  Ns time = 0;  // absolute, CLOCK_MONOTONIC of the link's host
  std::int64_t tx_bytes = 0, rx_bytes = 0;
};
struct DeviceSample {  // power, clocks, activity of a device
  DeviceKey device;
  Ns time = 0;      // absolute, on the clock of link samples
  NameId quantity;  // the unit is in the name: power_mw, sm_clock_mhz, nvlink_tx_percent
  double value = 0;
};
struct ClockSync {
  ClockId a, b;
  Ns a_ns = 0, b_ns = 0, uncertainty_ns = 0;
};
struct Diagnostic {
  std::string severity, code;
  std::int64_t count = 1;
  std::string detail;
};

struct Trace {
  std::vector<SourceFile> files;
  std::vector<Clock> clocks;
  std::vector<ClockSync> clock_syncs;
  std::vector<Rank> ranks;      // ascending by rank
  std::vector<Device> devices;  // ascending by key
  std::optional<Model> model;
  std::vector<Track> tracks;
  std::vector<std::string> names;
  std::vector<Context> contexts;
  SpanTable spans;
  std::vector<Step> steps;
  std::vector<RouterLoad> router_loads;
  std::vector<PeerTraffic> peer_traffic;
  std::vector<CommGroup> comm_groups;
  std::vector<Collective> collectives;  // by span, those without one last
  std::vector<ExpertPlacement> expert_placements;
  std::vector<Link> links;
  std::vector<LinkSample> link_samples;
  std::vector<DeviceSample> device_samples;
  std::vector<Diagnostic> diagnostics;

  std::string_view name_of(std::size_t row) const { return names[static_cast<std::size_t>(spans.name[row])]; }
  const Context& context_of(std::size_t row) const { return contexts[static_cast<std::size_t>(spans.context[row])]; }
  const Track& track_of(std::size_t row) const { return tracks[static_cast<std::size_t>(spans.track[row])]; }
  bool cut_short() const;  // any file was
};

// Operators' ranges carry autograd's sequence number, which ties a backward operator (its context's pass) to its
// forward one, as a negative correlation: they launch nothing themselves.
constexpr std::int64_t sequence_as_correlation(std::int64_t sequence) {
  return -1 - sequence;
}
std::optional<std::int64_t> sequence_of(const Trace& trace, std::size_t row);  // nullopt: none

// Fills a Trace, one file after another. Interns names and contexts over all files. Not thread-safe.
class TraceBuilder {
 public:
  NameId name(std::string_view text);
  ContextId context(const Context& context);
  TrackId track(Track track);  // a new track each call
  ClockId clock(Clock clock);  // equal kind monotonic or realtime with equal boot_id, not empty, is one clock
  LinkId link(Link link);
  void rank(const Rank& rank);  // later facts fill what earlier ones left unknown
  void device(const Device& device);
  void span(Ns start, Ns duration, TrackId track, NameId name, ContextId context, std::int64_t correlation = 0,
            std::int64_t bytes = -1, double flops = -1);
  // Its span counts in the order of span() calls: spans.size() - 1 for the last one. finish() makes it a row.
  void collective(Collective collective);
  Trace& trace() { return trace_; }  // for the tables that need no interning
  // Sorts spans, sets the tracks' row ranges, orders ranks and devices; the builder is empty afterwards.
  Trace finish();

 private:
  struct ContextHash {
    std::size_t operator()(const Context& context) const;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  Trace trace_;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> name_ids_;
  std::unordered_map<Context, std::int32_t, ContextHash> context_ids_;
};

}  // namespace moescope

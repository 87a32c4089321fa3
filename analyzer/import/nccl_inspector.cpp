// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nccl_inspector.h"

#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "analyzer/import/collective_args.h"
#include "analyzer/import/group_kind.h"
#include "analyzer/import/line_source.h"
#include "analyzer/model/trace_error.h"

namespace moescope {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr std::string_view kFormat = "nccl-inspector";
constexpr std::int64_t kMostMicroseconds = std::int64_t{1} << 53, kMostBytes = std::int64_t{1} << 45,
                       kMostRanks = 1 << 24;

struct Operation {
  NameId op;
  std::size_t communicator = 0;
  std::int64_t sequence = -1, bytes = -1, peer = -1;
  std::int32_t channels = -1;
  bool point_to_point = false;
  std::optional<Interval> kernels;  // from the first channel's start to the last one's end
};
struct Communicator {
  std::string id, name;
  std::int64_t rank = -1, ranks = -1;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// What a rank's buffers hold: the recorded size is the count given to NCCL, that is a member's part of an all-gather
// or a reduce-scatter, and the buffer of all else.
struct Buffers {
  std::int64_t in = -1, out = -1;
};
Buffers buffers(std::string_view op, std::int64_t bytes, std::int64_t ranks) {
  if (bytes < 0) return {};
  if (op == "allreduce") return {bytes, bytes};
  if (op == "allgather") return {bytes, bytes * ranks};
  if (op == "reducescatter") return {bytes * ranks, bytes};
  if (op == "send") return {bytes, -1};
  if (op == "recv") return {-1, bytes};
  return {};
}

class InspectorFile {
 public:
  InspectorFile(const std::string& path, const ImportOptions& options, TraceBuilder& builder)
      : path_(path), options_(options), builder_(builder), trace_(builder.trace()), lines_(path, options) {}

  void read() {
    std::string_view line;
    while (lines_.next(&line)) {
      element record;
      if (const auto error = parser_.parse(line.data(), line.size()).get(record)) {
        if (options_.salvage && !lines_.last_is_whole()) {
          cut_ = "its last line is not whole";
          break;
        }
        refuse(std::string("not valid JSON (") + simdjson::error_message(error) + ")",
               lines_.last_is_whole() ? "mend the line: one record a line" : "the file was cut: use --salvage");
      }
      take(record);
    }
    if (cut_.empty()) cut_ = lines_.early_end();
    settle();
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& mend) const {
    throw TraceError(path_, lines_.where(), what, mend);
  }
  // -1 where the key is missing.
  std::int64_t number(const element& of, const char* key, std::int64_t limit) const {
    element value;
    if (of[key].get(value) != simdjson::SUCCESS) return -1;
    std::int64_t result = 0;
    if (value.get(result) != simdjson::SUCCESS || result < -1 || result >= limit)
      refuse(std::string(key) + " is no number that it can be", "record it again");
    return result;
  }
  std::int64_t needed(const element& of, const char* key, std::int64_t limit) const {
    const std::int64_t result = number(of, key, limit);
    if (result < 0) refuse(std::string("no ") + key, "record it again");
    return result;
  }

  void take(const element& record) {
    element header, metadata, perf;
    if (record["header"].get(header) != simdjson::SUCCESS || record["metadata"].get(metadata) != simdjson::SUCCESS)
      refuse("no header or no metadata", "name a log of NCCL Inspector");
    same_process(metadata);
    Operation one;
    if (record["coll_perf"].get(perf) == simdjson::SUCCESS) {
      fill(perf, "coll", one);
    } else if (record["p2p_perf"].get(perf) == simdjson::SUCCESS) {
      one.point_to_point = true;
      fill(perf, "p2p", one);
      one.peer = number(perf, "p2p_peer", kMostRanks);
    } else {
      ++others_;  // calls, groups, proxies of the network
      return;
    }
    one.communicator = communicator(header);
    operations_.push_back(std::move(one));
  }

  void same_process(const element& metadata) {
    const std::int64_t pid = needed(metadata, "pid", std::int64_t{1} << 32);
    std::string_view host;
    if (metadata["hostname"].get(host) != simdjson::SUCCESS) host = {};
    if (pid_ < 0) {
      pid_ = pid;
      host_ = host;
    } else if (pid_ != pid || host_ != host) {
      refuse("a record of process " + std::to_string(pid) + ", the ones before are of " + std::to_string(pid_),
             "keep one file a process, as NCCL Inspector writes them");
    }
  }

  std::size_t communicator(const element& header) {
    std::string_view id;
    if (header["id"].get(id) != simdjson::SUCCESS || id.empty() || id.size() > 64)
      refuse("no id of a communicator", "record it again");
    const auto found = known_.find(id);
    const std::int64_t rank = needed(header, "rank", kMostRanks), ranks = needed(header, "n_ranks", kMostRanks);
    if (rank >= ranks) refuse("rank " + std::to_string(rank) + " of " + std::to_string(ranks), "record it again");
    if (found != known_.end()) {
      const Communicator& known = communicators_[found->second];
      if (known.rank != rank || known.ranks != ranks)
        refuse("another rank in communicator " + std::string(id) + " than before",
               "keep one file a rank: several of one process can't be told apart");
      return found->second;
    }
    std::string_view name;
    if (header["comm_name"].get(name) != simdjson::SUCCESS || name == "unknown") name = {};
    known_.emplace(id, communicators_.size());
    communicators_.push_back({std::string(id), std::string(name), rank, ranks});
    return communicators_.size() - 1;
  }

  void fill(const element& perf, const std::string& prefix, Operation& one) {
    std::string_view op;
    if (perf[prefix].get(op) != simdjson::SUCCESS || op.empty()) refuse("no " + prefix, "record it again");
    one.op = builder_.name(op);
    one.sequence = number(perf, (prefix + "_sn").c_str(), std::int64_t{1} << 62);
    one.bytes = number(perf, (prefix + "_msg_size_bytes").c_str(), kMostBytes);
    array kernels;
    element times;
    // v4.0 keeps the channels' times together, v4.1 with each channel's event.
    if (perf["event_trace_ts"]["kernel_events"].get(kernels) == simdjson::SUCCESS) {
      for (const element kernel : kernels) add_channel(kernel, one);
    } else if (perf["events"].get(kernels) == simdjson::SUCCESS) {
      for (const element event : kernels)
        if (event["event_trace_ts"].get(times) == simdjson::SUCCESS) add_channel(times, one);
    }
  }

  void add_channel(const element& times, Operation& one) const {
    const std::int64_t start = number(times, "kernel_start_ts", kMostMicroseconds),
                       stop = number(times, "kernel_stop_ts", kMostMicroseconds);
    if (start <= 0 || stop < start) return;  // 0: its event was not seen
    const Interval channel{start * 1000, stop * 1000};
    one.kernels = one.kernels
                      ? Interval{std::min(one.kernels->begin, channel.begin), std::max(one.kernels->end, channel.end)}
                      : channel;
    one.channels = std::max(one.channels, 0) + 1;
  }

  // A record says ranks of its communicators only: the process' rank is the one in its largest.
  RankId settle_rank() {
    const Communicator* largest = &communicators_.front();
    for (const Communicator& one : communicators_)
      if (one.ranks > largest->ranks) largest = &one;
    std::set<std::int32_t> taken;
    for (const SourceFile& file : trace_.files) {
      if (file.format != kFormat) continue;
      if (file.pid == pid_ && file.host == host_)
        throw TraceError(path_, "", "process " + std::to_string(pid_) + " was already read from " + file.path,
                         "name one file a process");
      taken.insert(file.rank.value);
    }
    auto rank = static_cast<std::int32_t>(largest->rank);
    if (taken.count(rank) == 0) return RankId(rank);
    rank = 0;
    while (taken.count(rank) > 0) ++rank;
    diagnostic("warning", "rank_assumed", 1,
               "its rank in its largest communicator is taken by another file; taken as rank " + std::to_string(rank) +
                   " by its order");
    return RankId(rank);
  }

  std::int32_t group(const Communicator& communicator) {
    // The id is NCCL's hash, the same on every rank and in NVTX records.
    std::string name = communicator.id;
    std::string_view digits = communicator.id;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    std::uint64_t hash = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
    if (error == std::errc{} && end == digits.data() + digits.size()) {
      char text[32];
      std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
      name = text;
    }
    name = "nccl " + name;
    auto& groups = trace_.comm_groups;
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const CommGroup& g) { return g.name == name; });
    if (known != groups.end()) return static_cast<std::int32_t>(known - groups.begin());
    groups.push_back({group_kind(communicator.name), name, {}});
    return static_cast<std::int32_t>(groups.size()) - 1;
  }

  void settle() {
    if (operations_.empty())
      throw TraceError(path_, "", "no completed operation in it", "run longer, or dump more often");
    const RankId rank = settle_rank();
    const bool has_timeline = std::any_of(trace_.tracks.begin(), trace_.tracks.end(), [&](const Track& track) {
      return track.rank == rank && track.is_execution();
    });
    builder_.rank({rank, -1, -1, -1, host_});
    const ClockId clock =
        builder_.clock({ClockKind::kREALTIME, host_.empty() ? "realtime" : "realtime of " + host_, host_});
    std::vector<std::int32_t> groups;
    for (const Communicator& one : communicators_) groups.push_back(group(one));
    std::map<std::size_t, TrackId> tracks;
    std::int64_t without_times = 0;
    for (const Operation& one : operations_) {
      const Communicator& communicator = communicators_[one.communicator];
      const std::string op = lower(trace_.names[static_cast<std::size_t>(one.op.value)]);
      const Buffers bytes = buffers(op, one.bytes, communicator.ranks);
      Collective collective;
      collective.rank = rank;
      collective.comm_group = groups[one.communicator];
      collective.sequence = one.sequence;
      collective.op = one.op;
      collective.bytes_in = bytes.in;
      collective.bytes_out = bytes.out;
      collective.group_size = static_cast<std::int32_t>(communicator.ranks);
      collective.root_or_peer = static_cast<std::int32_t>(one.peer);
      collective.channels = one.channels;
      if (!one.kernels) {
        ++without_times;
      } else if (!has_timeline) {
        const auto [track, is_new] = tracks.try_emplace(one.communicator);
        if (is_new) track->second = lane(rank, clock, one.communicator);
        span(one, op, bytes, communicator, track->second);
        collective.span = static_cast<std::int64_t>(trace_.spans.size()) - 1;
      }
      builder_.collective(std::move(collective));
    }
    if (!tracks.empty()) {
      Device device;
      device.key = {rank, 0};
      device.source = "import";
      builder_.device(device);
    }
    say_what_is_missing(without_times, has_timeline);
    SourceFile file;
    file.path = path_;
    file.format = kFormat;
    file.rank = rank;
    file.host = host_;
    file.pid = pid_;
    file.argv = "[]";
    file.cut_short = !cut_.empty();
    file.cut_short_reason = cut_;
    trace_.files.push_back(std::move(file));
  }

  TrackId lane(RankId rank, ClockId clock, std::size_t communicator) {
    Track track;
    track.rank = rank;
    track.device = 0;
    track.kind = TrackKind::kGPU_STREAM;
    track.clock = clock;
    track.stream = static_cast<std::int64_t>(communicator);
    track.name = "communicator " + communicators_[communicator].id;
    if (!communicators_[communicator].name.empty()) track.name += " " + communicators_[communicator].name;
    return builder_.track(std::move(track));
  }

  void span(const Operation& one, const std::string& op, const Buffers& bytes, const Communicator& communicator,
            TrackId track) {
    Context context;
    context.kind = SpanKind::kKERNEL;
    context.source = Source::kNCCL;
    context.stage = collective_stage(op);
    CollectiveArgs args;
    args.name = op;
    args.element_type = "Byte";
    args.elements_in = bytes.in;
    args.elements_out = bytes.out;
    args.group_size = communicator.ranks;
    const std::int64_t wire = op == "send"   ? bytes.in
                              : op == "recv" ? 0
                              : bytes.in < 0 ? -1
                                             : collective_wire_bytes(args);
    builder_.span(one.kernels->begin, one.kernels->end - one.kernels->begin, track, one.op, builder_.context(context),
                  0, wire);
  }

  void say_what_is_missing(std::int64_t without_times, bool has_timeline) {
    if (without_times > 0)
      diagnostic("warning", "collectives_without_times", without_times,
                 "operations without times of their kernels have no span: record with NCCL_INSPECTOR_DUMP_VERBOSE=1");
    if (has_timeline)
      diagnostic("info", "spans_of_timeline", static_cast<std::int64_t>(operations_.size()),
                 "the rank has a timeline already: its operations are kept as collectives, without spans");
    std::map<std::pair<std::size_t, std::int32_t>, std::set<std::int64_t>> numbers;  // NCCL counts each kind for itself
    for (const Operation& one : operations_)
      if (!one.point_to_point && one.sequence >= 0) numbers[{one.communicator, one.op.value}].insert(one.sequence);
    std::int64_t missing = 0;
    for (const auto& [kind, seen] : numbers)
      missing += *seen.rbegin() - *seen.begin() + 1 - static_cast<std::int64_t>(seen.size());
    if (missing > 0)
      diagnostic("warning", "records_missing", missing,
                 "collectives between the recorded ones are missing: small messages are left out by default, and its "
                 "ring may have been full");
    if (others_ > 0)
      diagnostic("info", "records_left_out", others_, "records of calls, groups and network proxies are left out");
  }

  void diagnostic(const char* severity, const char* code, std::int64_t count, const std::string& text) {
    trace_.diagnostics.push_back({severity, code, count, path_ + ": " + text});
  }

  const std::string& path_;
  const ImportOptions& options_;
  TraceBuilder& builder_;
  Trace& trace_;
  LineSource lines_;
  simdjson::dom::parser parser_;
  std::map<std::string, std::size_t, std::less<>> known_;
  std::vector<Communicator> communicators_;
  std::vector<Operation> operations_;
  std::int64_t pid_ = -1, others_ = 0;
  std::string host_, cut_;
};

bool sniff(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return head.starts_with('{') && line.find("\"inspector_output_format_version\"") != std::string_view::npos;
}

void read(const std::string& path, const ImportOptions& options, TraceBuilder& builder) {
  InspectorFile(path, options, builder).read();
}

}  // namespace

Importer nccl_inspector_importer() {
  return {kFormat, "NCCL Inspector's JSON lines", sniff, read};
}

}  // namespace moescope

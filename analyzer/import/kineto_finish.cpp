// SPDX-License-Identifier: Apache-2.0
// The end of a Kineto file: what could only be known once all of it was read.
#include <algorithm>
#include <set>

#include "analyzer/import/decimal_time.h"
#include "analyzer/import/kineto_builder.h"
#include "analyzer/model/launch_index.h"
#include "analyzer/model/trace_error.h"

namespace moescope {

void KinetoBuilder::diagnostic(const char* severity, const char* code, std::uint64_t count, std::string detail) {
  builder_.trace().diagnostics.push_back({severity, code, static_cast<std::int64_t>(count), std::move(detail)});
}

void KinetoBuilder::close_open() {
  for (auto& [key, lane] : lanes_) {
    for (const Lane::Begun& begun : lane.begun) {
      Context context = builder_.trace().contexts[static_cast<std::size_t>(begun.context.value)];
      context.flags |= kContextUnterminated;
      const Ns end = std::max(last_, begun.start);
      span(begun.start, end - begun.start, lane, begun.name, builder_.context(context), 0, -1);
    }
    lane.begun.clear();
  }
}

// The host the file names: by its own key, or as PyTorch's trace handler names files, HOST_PID.TIME.pt.trace.json,
// where PID is the process whose events these are.
std::string KinetoBuilder::settle_host() {
  std::string host = host_;
  if (host.empty()) {
    const std::string name = trace_name_.substr(trace_name_.rfind('/') + 1);
    const std::size_t at = name.find("_" + host_process_ + ".");
    if (!host_process_.empty() && at != std::string::npos && name.find(".pt.trace.json", at) != std::string::npos)
      host = name.substr(0, at);
  }
  return host == "localhost" ? std::string() : host;
}

// The rank the file says it is, else the lowest that no file has, in the order of the files.
RankId KinetoBuilder::settle_rank() {
  const Trace& trace = builder_.trace();
  const auto taken = [&trace](std::int64_t rank) {
    return std::any_of(trace.ranks.begin(), trace.ranks.end(), [&](const Rank& r) { return r.rank.value == rank; });
  };
  if (said_.rank >= 0 && said_.rank < 1 << 24) {
    if (taken(said_.rank)) {
      const std::string number = std::to_string(said_.rank);
      std::string other;
      for (const SourceFile& file : trace.files)
        if (file.rank == RankId(static_cast<std::int32_t>(said_.rank))) other = file.path;
      throw TraceError(path_, "distributedInfo",
                       "rank " + number + " was already read" + (other.empty() ? "" : " from " + other),
                       "name one trace a rank (those of several steps or jobs are several runs), and files that say no "
                       "rank last: they take the lowest free one");
    }
    return RankId(static_cast<std::int32_t>(said_.rank));
  }
  std::int32_t rank = 0;
  while (taken(rank)) ++rank;
  diagnostic("warning", "rank_assumed", 1,
             path_ + ": names no rank; taken as rank " + std::to_string(rank) + " by its order");
  return RankId(rank);
}

void KinetoBuilder::settle_tracks(RankId rank) {
  for (const auto& [key, lane] : lanes_) {
    Track& track = builder_.trace().tracks[static_cast<std::size_t>(lane.track.value)];
    track.rank = rank;
    track.clock = clock_;
    if (const auto found = thread_names_.find({lane.process, lane.thread}); found != thread_names_.end()) {
      std::string name = found->second;
      while (!name.empty() && name.back() == ' ') name.pop_back();
      if (!name.empty()) track.name = name;
    }
  }
}

// A step's window is its annotation's; device work belongs to the step it was launched in, host spans to the one they
// begin in.
void KinetoBuilder::settle_steps(RankId rank) {
  if (steps_.empty()) return;
  std::sort(steps_.begin(), steps_.end(),
            [](const StepSeen& a, const StepSeen& b) { return a.window.begin < b.window.begin; });
  Trace& trace = builder_.trace();
  for (std::size_t i = 0; i < steps_.size(); ++i)
    trace.steps.push_back({rank, StepId(static_cast<std::int32_t>(i)), steps_[i].number, StepKind::kUNKNOWN, clock_,
                           steps_[i].window, true});
  const auto step_at = [this](Ns instant) {
    auto next = std::upper_bound(steps_.begin(), steps_.end(), instant,
                                 [](Ns t, const StepSeen& step) { return t < step.window.begin; });
    if (next == steps_.begin() || (--next)->window.end <= instant) return StepId();
    return StepId(static_cast<std::int32_t>(next - steps_.begin()));
  };
  const LaunchIndex launches(trace, first_row_);
  SpanTable& spans = trace.spans;
  std::uint64_t without_launch = 0;
  std::vector<std::pair<StepId, ContextId>> in_step;  // by context without a step: the last step asked for, and its own
  for (std::size_t row = first_row_; row < spans.size(); ++row) {
    const bool on_gpu = trace.track_of(row).is_execution();
    Ns instant = spans.start[row];
    if (on_gpu) {
      const auto launch = launches.launch_of(row);
      if (!launch) {
        ++without_launch;
        continue;
      }
      instant = spans.start[*launch];
    }
    const StepId step = step_at(instant);
    if (!step.valid()) continue;
    const auto id = static_cast<std::size_t>(spans.context[row]);
    if (id >= in_step.size()) in_step.resize(trace.contexts.size());
    auto& [known_step, known_context] = in_step[id];
    if (known_step != step) {
      Context context = trace.contexts[id];
      context.step = step;
      known_step = step;
      known_context = builder_.context(context);
    }
    spans.context[row] = known_context.value;
  }
  if (without_launch > 0)
    diagnostic("info", "step_unknown", without_launch,
               path_ + ": device work whose launch is not in the file lies in no step");
}

void KinetoBuilder::settle_devices(RankId rank) {
  std::set<std::int32_t> used;
  for (const auto& [key, lane] : lanes_) {
    const Track& track = builder_.trace().tracks[static_cast<std::size_t>(lane.track.value)];
    if (track.is_execution()) used.insert(track.device);
  }
  for (const std::int32_t id : used) {
    Device device;
    device.key = {rank, id};
    device.source = "import";
    for (const KinetoDevice& said : devices_)
      if (said.id == id) {
        device.name = said.name;
        device.sm_count = static_cast<std::int32_t>(said.sm_count);
      }
    builder_.device(device);
  }
}

void KinetoBuilder::finish() {
  Trace& trace = builder_.trace();
  close_open();
  if (trace.spans.size() == first_row_)
    throw TraceError(path_, "", "no event in it",
                     without_time_ > 0 ? "its events have no usable times; export the trace again" : "record it again");
  for (std::size_t row = first_row_; row < trace.spans.size(); ++row) trace.spans.start[row] += base_ns_;
  for (StepSeen& step : steps_) step.window = {step.window.begin + base_ns_, step.window.end + base_ns_};

  // Processes of one host read one wall clock; wall clocks of two hosts are not one clock, and a file that names no
  // host may come from any.
  const std::string host = settle_host();
  clock_ = builder_.clock({ClockKind::kREALTIME, host.empty() ? "realtime" : "realtime of " + host, host});
  const RankId rank = settle_rank();
  Rank row;
  row.rank = rank;
  row.host = host;
  row.world_size =
      said_.world_size > 0 && said_.world_size < 1 << 24 ? static_cast<std::int32_t>(said_.world_size) : -1;
  builder_.rank(row);
  settle_tracks(rank);
  settle_devices(rank);
  settle_steps(rank);
  collectives_.finish(rank, said_.rank >= 0, said_.groups);
  if (device_work_ > 0 && launches_ == 0)
    diagnostic("warning", "no_launch_side", device_work_,
               path_ + ": no call that launches its device work, so no range or step can claim it");

  SourceFile file;
  file.path = path_;
  file.format = "kineto";
  file.rank = rank;
  file.host = host;
  file.pid = integer_from_json(host_process_).value_or(-1);
  file.started_unix_ns = first_ + base_ns_;
  file.argv = "[]";
  file.cut_short = !early_end_.empty();
  file.cut_short_reason = early_end_;
  trace.files.push_back(std::move(file));

  for (const auto& [category, count] : left_out_)
    diagnostic("info", "category_left_out", count, "events of category " + category + " are not spans of ours");
  if (without_time_ > 0)
    diagnostic("warning", "event_without_time", without_time_, path_ + ": events without a usable ts or dur");
  if (unmatched_ends_ > 0)
    diagnostic("warning", "unmatched_end", unmatched_ends_, path_ + ": E events without their B");
  if (mended_bytes_ > 0)
    diagnostic("info", "text_mended", mended_bytes_,
               path_ + ": control characters or invalid UTF-8 in names, replaced");
}

}  // namespace moescope

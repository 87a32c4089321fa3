// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/kineto_builder.h"

#include <algorithm>

#include "analyzer/import/collective_args.h"
#include "analyzer/import/decimal_time.h"

namespace moescope {
namespace {

constexpr Ns kFarthest = Ns{1} << 61;  // times beyond are not times; sums of two stay inside 64 bits

CopyKind copy_kind(std::string_view name) {
  const auto says = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (says("HtoD") || says("HostToDevice")) return CopyKind::kH2D;
  if (says("DtoH") || says("DeviceToHost")) return CopyKind::kD2H;
  if (says("PtoP") || says("Peer")) return CopyKind::kP2P;
  if (says("DtoD") || says("DeviceToDevice")) return CopyKind::kD2D;
  if (says("HtoH") || says("HostToHost")) return CopyKind::kH2H;
  return CopyKind::kNONE;
}

}  // namespace

KinetoBuilder::KinetoBuilder(const std::string& path, TraceBuilder& builder)
    : path_(path), builder_(builder), first_row_(builder.trace().spans.size()), collectives_(path, builder) {}

void KinetoBuilder::foresee(std::uint64_t bytes_read, std::uint64_t bytes_in_all) {
  SpanTable& spans = builder_.trace().spans;
  constexpr std::size_t kMargin = 16 * 1024;  // spans a run may bring
  const std::size_t mine = spans.size() - first_row_;
  if (spans.size() + kMargin < spans.start.capacity() || mine == 0 || bytes_read == 0 || bytes_read >= bytes_in_all)
    return;
  const double all = static_cast<double>(mine) * static_cast<double>(bytes_in_all) / static_cast<double>(bytes_read);
  // A first impression may be wrong by far (a dense beginning, packed bytes): never more than eight times at once.
  const std::size_t capacity = spans.start.capacity(), most = 8 * std::max<std::size_t>(capacity, 1'000'000);
  const auto expected = first_row_ + static_cast<std::size_t>(std::min(all * 1.05, 1e12)) + 2 * kMargin;
  spans.reserve(std::clamp(expected, capacity + capacity / 4, most));
}

KinetoBuilder::Lane& KinetoBuilder::lane(const std::string& key, const KinetoEvent& event, TrackKind kind,
                                         std::int32_t device) {
  const auto [found, fresh] = lanes_.try_emplace(key);
  Lane& lane = found->second;
  if (!fresh) return lane;
  lane.process = event.process;
  lane.thread = event.thread;
  Track track;
  track.device = device;
  track.kind = kind;
  if (kind == TrackKind::kGPU_STREAM) {
    const std::string_view stream = event.stream.empty() ? event.thread : event.stream;
    track.stream = integer_from_json(stream).value_or(-1);
    track.name = "stream " + std::string(stream);
  } else {
    track.os_tid = integer_from_json(event.thread).value_or(-1);
    track.name = "thread " + std::string(event.thread);
  }
  lane.track = builder_.track(std::move(track));
  return lane;
}

KinetoBuilder::Lane& KinetoBuilder::host_lane(const KinetoEvent& event) {
  if (last_host_ != nullptr && last_host_->process == event.process && last_host_->thread == event.thread)
    return *last_host_;
  lane_key_.assign("h").append(event.process).append("\0", 1).append(event.thread);
  last_host_ = &lane(lane_key_, event, TrackKind::kHOST_THREAD, -1);
  return *last_host_;
}

KinetoBuilder::Lane& KinetoBuilder::gpu_lane(const KinetoEvent& event) {
  std::int64_t device = event.device >= 0 ? event.device : integer_from_json(event.process).value_or(0);
  if (device < 0 || device > 1 << 20) device = 0;
  const std::string_view stream = event.stream.empty() ? event.thread : event.stream;
  RecentStream& recent = recent_streams_[(static_cast<std::size_t>(device) +
                                          (stream.empty() ? 0u : static_cast<unsigned char>(stream.back()))) %
                                         recent_streams_.size()];
  if (recent.lane != nullptr && recent.device == device && recent.stream == stream) return *recent.lane;
  lane_key_.assign("g").append(std::to_string(device)).append("\0", 1).append(stream);
  Lane& found = lane(lane_key_, event, TrackKind::kGPU_STREAM, static_cast<std::int32_t>(device));
  recent = {&found, device, std::string(stream)};
  return found;
}

void KinetoBuilder::event(const KinetoEvent& event) {
  switch (event.phase) {
    case 'M':
      metadata(event);
      return;
    case 'X':
    case 'B':
    case 'E':
      break;
    default:  // flows, instants, counters: not spans
      return;
  }
  const KinetoCategory category = kineto_category(event.category_text);
  if (category == KinetoCategory::kLeftOut) {
    const auto found = left_out_.find(event.category_text);
    if (found != left_out_.end())
      ++found->second;
    else
      left_out_.emplace(event.category_text, 1);
    return;
  }
  if (event.phase == 'X')
    complete(event, category);
  else
    begin_or_end(event, category);
}

void KinetoBuilder::metadata(const KinetoEvent& event) {
  if (event.name == "thread_name")
    thread_names_[{std::string(event.process), std::string(event.thread)}] = event.argument_name;
}

ContextId KinetoBuilder::context_of(const KinetoEvent& event, KinetoCategory category) {
  const bool of_category_alone = category != KinetoCategory::kCopy && event.collective.name.empty();
  ContextId& known = category_contexts_[static_cast<std::size_t>(category)];
  if (of_category_alone && known.valid()) return known;
  Context context;
  context.source = Source::kKINETO;
  switch (category) {
    case KinetoCategory::kKernel:
      context.kind = SpanKind::kKERNEL;
      if (!event.collective.name.empty()) context.stage = collective_stage(event.collective.name);
      break;
    case KinetoCategory::kCopy:
      context.kind = SpanKind::kCOPY;
      context.copy_kind = copy_kind(event.name);
      if (context.copy_kind == CopyKind::kNONE) context.copy_kind = copy_kind(event.copy_direction);
      break;
    case KinetoCategory::kMemset:
      context.kind = SpanKind::kMEMSET;
      break;
    case KinetoCategory::kRuntime:
      context.kind = SpanKind::kRUNTIME;
      break;
    case KinetoCategory::kOperator:
      context.flags = kContextOperator;
      if (event.forward_thread > 0) context.pass = Pass::kBACKWARD;
      break;
    case KinetoCategory::kAnnotation:
    case KinetoCategory::kLeftOut:
      break;
  }
  const ContextId id = builder_.context(context);
  if (of_category_alone) known = id;
  return id;
}

void KinetoBuilder::span(Ns start, Ns duration, Lane& lane, NameId name, ContextId context, std::int64_t correlation,
                         std::int64_t bytes) {
  if (builder_.trace().spans.size() == first_row_) first_ = start, last_ = start + duration;
  first_ = std::min(first_, start);
  last_ = std::max(last_, start + duration);
  builder_.span(start, duration, lane.track, name, context, correlation, bytes);
}

void KinetoBuilder::complete(const KinetoEvent& event, KinetoCategory category) {
  const auto start = nanoseconds_from_microseconds(event.timestamp);
  const auto said = event.duration.empty() ? std::optional<Ns>(0) : nanoseconds_from_microseconds(event.duration);
  if (!start || !said || *start > kFarthest || *start < -kFarthest || *said > kFarthest || *said < 0) {
    ++without_time_;
    return;
  }
  const bool on_gpu =
      category == KinetoCategory::kKernel || category == KinetoCategory::kCopy || category == KinetoCategory::kMemset;
  if (!on_gpu) note_step(event.name, *start, *said);
  const NameId name = builder_.name(event.name);
  const bool numbered = category == KinetoCategory::kOperator && event.sequence >= 0;
  span(*start, *said, on_gpu ? gpu_lane(event) : host_lane(event), name, context_of(event, category),
       numbered ? sequence_as_correlation(event.sequence) : event.correlation, on_gpu ? event.bytes : -1);
  if (category == KinetoCategory::kKernel) collectives_.kernel(event, name);
  device_work_ += on_gpu;
  launches_ += category == KinetoCategory::kRuntime;
  if (!on_gpu && host_process_.empty()) host_process_ = event.process;
}

void KinetoBuilder::begin_or_end(const KinetoEvent& event, KinetoCategory category) {
  const auto at = nanoseconds_from_microseconds(event.timestamp);
  if (!at || *at > kFarthest || *at < -kFarthest) {
    ++without_time_;
    return;
  }
  Lane& lane = host_lane(event);
  if (event.phase == 'B') {
    lane.begun.push_back({builder_.name(event.name), *at, context_of(event, category)});
    return;
  }
  if (lane.begun.empty()) {
    ++unmatched_ends_;
    return;
  }
  const Lane::Begun begun = lane.begun.back();
  lane.begun.pop_back();
  const Ns duration = std::max<Ns>(0, *at - begun.start);
  note_step(builder_.trace().names[static_cast<std::size_t>(begun.name.value)], begun.start, duration);
  span(begun.start, duration, lane, begun.name, begun.context, 0, -1);
}

void KinetoBuilder::note_step(std::string_view name, Ns start, Ns duration) {
  constexpr std::string_view kStep = "ProfilerStep#";
  if (!name.starts_with(kStep)) return;
  const auto number = integer_from_json(name.substr(kStep.size()));
  if (!number) return;
  // Several threads may carry the mark; a step is one.
  const auto [known, fresh] = step_index_.try_emplace(*number, steps_.size());
  if (fresh) {
    steps_.push_back({*number, {start, start + duration}});
    return;
  }
  Interval& window = steps_[known->second].window;
  window = {std::min(window.begin, start), std::max(window.end, start + duration)};
}

}  // namespace moescope

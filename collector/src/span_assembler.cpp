// SPDX-License-Identifier: Apache-2.0
#include "collector/src/span_assembler.h"

#include <algorithm>

#include "collector/src/clock_sync.h"
#include "collector/src/nvtx_names.h"

namespace moescope::collector {
namespace {

constexpr std::size_t kStepsKept = 4096;

template <class Record>
const Record& as(const unsigned char* bytes) {
  return *reinterpret_cast<const Record*>(bytes);
}
template <class Record>
std::string_view text_after(const unsigned char* bytes, std::uint32_t skip, std::uint32_t length) {
  return {reinterpret_cast<const char*>(bytes) + sizeof(Record) + skip, length};
}

}  // namespace

SpanAssembler::SpanAssembler(trace::TraceWriter& writer, LaneBook& lanes, std::int32_t rank)
    : writer_(writer), lanes_(lanes), default_rank_(rank) {}

std::uint32_t SpanAssembler::take(std::uint32_t serial, std::uint32_t os_tid, const unsigned char* bytes) {
  const auto& head = as<RecordHead>(bytes);
  Thread& thread = thread_of(serial, os_tid);
  switch (head.type) {
    case RecordType::kBegin: {
      const auto& r = as<BeginRecord>(bytes);
      take_begin(thread, r, text_after<BeginRecord>(bytes, 0, r.name_bytes));
      break;
    }
    case RecordType::kEnd:
      take_end(thread, as<EndRecord>(bytes));
      break;
    case RecordType::kNvtxPush:
    case RecordType::kNvtxPop:
    case RecordType::kNvtxMark:
    case RecordType::kNvtxStart:
    case RecordType::kNvtxFinish: {
      const auto& r = as<NvtxRecord>(bytes);
      take_nvtx(thread, r, text_after<NvtxRecord>(bytes, 0, r.name_bytes));
      break;
    }
    case RecordType::kLane: {
      const auto& r = as<LaneRecord>(bytes);
      take_lane(thread, r, text_after<LaneRecord>(bytes, 0, r.name_bytes));
      break;
    }
    case RecordType::kContext:
      take_context(thread, as<ContextRecord>(bytes));
      break;
    case RecordType::kSpan: {
      const auto& r = as<SpanRecord>(bytes);
      take_span(thread, r, text_after<SpanRecord>(bytes, 0, r.name_bytes),
                text_after<SpanRecord>(bytes, r.name_bytes, r.lane_bytes));
      break;
    }
    case RecordType::kStepBegin:
    case RecordType::kStepEnd:
      take_step(as<StepRecord>(bytes));
      break;
    case RecordType::kThreadName: {
      const auto& r = as<ThreadNameRecord>(bytes);
      lanes_.name_thread(r.os_tid, text_after<ThreadNameRecord>(bytes, 0, r.name_bytes));
      break;
    }
    case RecordType::kThreadExit:
      break;
  }
  if (head.type != RecordType::kSpan) thread.last_time = std::max(thread.last_time, head.time);
  return head.bytes;
}

SpanAssembler::Thread& SpanAssembler::thread_of(std::uint32_t serial, std::uint32_t os_tid) {
  const auto [thread, added] = threads_.try_emplace(serial);
  if (added) {
    thread->second.serial = serial;
    thread->second.os_tid = os_tid;
    thread->second.rank = default_rank_;
  }
  return thread->second;
}

void SpanAssembler::take_lane(Thread& thread, const LaneRecord& record, std::string_view name) {
  thread.rank = record.rank;
  thread.lane_kind = record.kind;
  thread.lane = name;
  thread.work_track = thread.range_track = -1;
  trace::RankRow rank;
  rank.rank = record.rank;
  rank.world_size = record.world_size;
  lanes_.know_rank(rank);
  rank_was_said_ = true;
}

void SpanAssembler::take_context(Thread& thread, const ContextRecord& record) {
  thread.context.step = record.step;
  thread.context.layer = record.layer;
  thread.context.micro_batch = record.micro_batch;
  thread.context.pass = record.pass;
}

std::int32_t SpanAssembler::work_track(Thread& thread) {
  if (thread.work_track < 0)
    thread.work_track = lanes_.thread_track(
        {thread.serial, thread.os_tid, thread.rank, thread.lane_kind, kMonotonicClock, thread.lane});
  return thread.work_track;
}

std::int32_t SpanAssembler::range_track(Thread& thread) {
  if (thread.lane_kind == MOESCOPE_TRACK_HOST_THREAD) return work_track(thread);
  if (thread.range_track < 0)
    thread.range_track = lanes_.thread_track(
        {thread.serial, thread.os_tid, thread.rank, MOESCOPE_TRACK_HOST_THREAD, kMonotonicClock, {}});
  return thread.range_track;
}

void SpanAssembler::push(Stack& stack, std::uint32_t depth, Open open) {
  while (stack.size() > depth) {  // ends of these were dropped
    lost_pairs_ += stack.back().known;
    stack.pop_back();
  }
  while (stack.size() < depth) stack.emplace_back();  // begins of these were dropped
  stack.push_back(std::move(open));
}

SpanAssembler::Open SpanAssembler::pop(Stack& stack, std::uint32_t depth) {
  while (stack.size() > depth + 1) {
    lost_pairs_ += stack.back().known;
    stack.pop_back();
  }
  if (stack.size() != depth + 1) return {};
  Open open = std::move(stack.back());
  stack.pop_back();
  return open;
}

void SpanAssembler::write(const Open& open, std::int64_t end, std::int64_t bytes, double flops) {
  trace::SpanRow row;
  row.start_rel = lanes_.relative(kMonotonicClock, open.start);
  row.dur = std::max<std::int64_t>(end - open.start, 0);
  row.track = open.track;
  row.name = open.name;
  row.context = writer_.context(open.context);
  row.bytes = bytes;
  row.flops = flops;
  writer_.span(row);
}

void SpanAssembler::take_begin(Thread& thread, const BeginRecord& record, std::string_view name) {
  Open open;
  open.known = true;
  open.start = record.head.time;
  open.track = work_track(thread);
  open.name = writer_.name((record.head.flags & kHasText) != 0 ? name : moescope_stage_name(record.stage));
  open.context = thread.context;
  open.context.kind = thread.lane_kind == MOESCOPE_TRACK_HOST_THREAD ? MOESCOPE_SPAN_RANGE : MOESCOPE_SPAN_WORK;
  open.context.stage = open.context.role = record.stage;
  open.context.wave = record.wave;
  open.context.source = MOESCOPE_SOURCE_ANNOTATION;
  push(thread.annotated, record.head.depth, std::move(open));
}

void SpanAssembler::take_end(Thread& thread, const EndRecord& record) {
  const Open open = pop(thread.annotated, record.head.depth);
  if (open.known) write(open, record.head.time, record.bytes, record.flops);
}

SpanAssembler::Open SpanAssembler::nvtx_open(Thread& thread, const NvtxRecord& record, std::string_view name) {
  Open open;
  open.known = true;
  open.start = record.head.time;
  open.track = range_track(thread);
  const std::string_view domain = record.domain == nullptr ? std::string_view() : record.domain->name;
  if (record.registered != nullptr) {
    const auto [known, added] = registered_names_.try_emplace(record.registered, 0);
    if (added) known->second = writer_.name(record.registered->text, domain);
    open.name = known->second;
  } else {
    open.name = writer_.name(name, domain);
  }
  open.context = thread.context;
  open.context.kind = MOESCOPE_SPAN_RANGE;
  open.context.source = MOESCOPE_SOURCE_NVTX;
  return open;
}

void SpanAssembler::take_nvtx(Thread& thread, const NvtxRecord& record, std::string_view name) {
  switch (record.head.type) {
    case RecordType::kNvtxPush:
      push(thread.nvtx[record.domain], record.head.depth, nvtx_open(thread, record, name));
      break;
    case RecordType::kNvtxPop: {
      const Open open = pop(thread.nvtx[record.domain], record.head.depth);
      if (open.known) write(open, record.head.time);
      break;
    }
    case RecordType::kNvtxMark:
      write(nvtx_open(thread, record, name), record.head.time);
      break;
    case RecordType::kNvtxStart: {
      const auto range = ranges_.find(record.range);
      if (range == ranges_.end()) {
        ranges_[record.range].open = nvtx_open(thread, record, name);
      } else {
        write(nvtx_open(thread, record, name), range->second.end);
        ranges_.erase(range);
      }
      break;
    }
    default: {  // kNvtxFinish
      const auto range = ranges_.find(record.range);
      if (range == ranges_.end()) {
        StartedRange& early = ranges_[record.range];
        early.ended = true;
        early.end = record.head.time;
      } else if (!range->second.ended) {
        write(range->second.open, record.head.time);
        ranges_.erase(range);
      }
    }
  }
}

void SpanAssembler::take_span(Thread& thread, const SpanRecord& record, std::string_view name, std::string_view lane) {
  trace::ContextRow context;
  context.kind = record.kind;
  context.stage = record.stage;
  context.role = record.role;
  context.part = record.part;
  context.pass = record.pass;
  context.step = record.step;
  context.layer = record.layer;
  context.micro_batch = record.micro_batch;
  context.wave = record.wave;
  context.chunk = record.chunk;
  context.source = MOESCOPE_SOURCE_ANNOTATION;
  trace::SpanRow row;
  row.start_rel = lanes_.relative(record.clock, record.head.time);
  row.dur = record.end - record.head.time;
  if ((record.head.flags & kHasLane) != 0) {
    row.track = lanes_.named_track(record.rank, lane, record.lane_kind, record.clock);
  } else {
    row.track =
        lanes_.thread_track({thread.serial, thread.os_tid, record.rank, record.lane_kind, record.clock, thread.lane});
  }
  row.name = writer_.name((record.head.flags & kHasText) != 0 ? name : moescope_stage_name(record.stage));
  row.context = writer_.context(context);
  row.bytes = record.bytes;
  row.flops = record.flops;
  writer_.span(row);
  trace::RankRow rank;
  rank.rank = record.rank;
  lanes_.know_rank(rank);
}

// The threads of a rank pass a step at different times: it reaches from the first begin to the last end.
void SpanAssembler::take_step(const StepRecord& record) {
  const std::int64_t time = lanes_.relative(kMonotonicClock, record.head.time);
  const auto [known, added] = steps_.try_emplace({record.step, record.rank});
  trace::StepRow& row = known->second;
  const trace::StepRow before = row;
  if (added) {
    row = {record.rank, record.step, record.number, record.kind, kMonotonicClock, time, -1};
  } else if (time < row.start_rel) {
    row.dur = row.dur < 0 ? -1 : row.dur + (row.start_rel - time);
    row.start_rel = time;
  }
  if (record.head.type == RecordType::kStepEnd) row.dur = std::max(row.dur, time - row.start_rel);
  if (added || row.dur != before.dur || row.start_rel != before.start_rel) writer_.step(row);
  while (steps_.size() > kStepsKept) steps_.erase(steps_.begin());  // long over
}

void SpanAssembler::close_all(Thread& thread, std::int64_t time_ns) {
  const auto close = [&](Stack& stack) {
    for (; !stack.empty(); stack.pop_back()) {
      Open& open = stack.back();
      if (!open.known) continue;
      open.context.flags |= trace::kFlagUnterminated;
      write(open, time_ns);
    }
  };
  close(thread.annotated);
  for (auto& [domain, stack] : thread.nvtx) close(stack);
}

void SpanAssembler::thread_gone(std::uint32_t serial) {
  const auto thread = threads_.find(serial);
  if (thread == threads_.end()) return;
  close_all(thread->second, thread->second.last_time);
  threads_.erase(thread);
}

void SpanAssembler::everything_ends(std::int64_t time_ns) {
  for (auto& [serial, thread] : threads_) close_all(thread, time_ns);
  threads_.clear();
  for (auto& [id, range] : ranges_) {
    if (range.ended) {  // an end whose start was dropped
      ++lost_pairs_;
      continue;
    }
    range.open.context.flags |= trace::kFlagUnterminated;
    write(range.open, time_ns);
  }
  ranges_.clear();
}

}  // namespace moescope::collector

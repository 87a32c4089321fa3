#pragma once
// SPDX-License-Identifier: Apache-2.0
// Makes rows of records: pairs begins with ends, finds the lane and the context of each span, interns. The flush
// thread's alone.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/src/event_record.h"
#include "collector/src/lane_book.h"
#include "collector/trace/trace_writer.h"

namespace moescope::collector {

class SpanAssembler {
 public:
  // rank: of threads that don't say theirs.
  SpanAssembler(trace::TraceWriter& writer, LaneBook& lanes, std::int32_t rank);

  // Takes one record of a thread; returns its size. Threads have serial numbers because the system reuses theirs.
  std::uint32_t take(std::uint32_t serial, std::uint32_t os_tid, const unsigned char* record);
  // The thread is gone: what it left open ends at its last sign of life, marked as unterminated.
  void thread_gone(std::uint32_t serial);
  void everything_ends(std::int64_t time_ns);
  std::uint64_t lost_pairs() const { return lost_pairs_; }  // their begin or their end was dropped
  bool rank_was_said() const { return rank_was_said_; }

 private:
  struct Open {
    bool known = false;  // false: its begin was lost
    std::int64_t start = 0;
    std::int32_t track = 0, name = 0;
    trace::ContextRow context;
  };
  using Stack = std::vector<Open>;
  struct Thread {
    std::uint32_t serial = 0, os_tid = 0;
    std::int32_t rank = -1, lane_kind = MOESCOPE_TRACK_HOST_THREAD;
    std::string lane;                                // empty: the thread's own name
    std::int32_t work_track = -1, range_track = -1;  // -1: not looked up since the lane changed
    trace::ContextRow context;                       // step, layer, micro-batch, pass
    Stack annotated;
    std::map<const NvtxDomain*, Stack> nvtx;
    std::int64_t last_time = 0;
  };
  struct StartedRange {
    Open open;
    bool ended = false;  // seen before its start, which lies in another thread's ring
    std::int64_t end = 0;
  };

  Thread& thread_of(std::uint32_t serial, std::uint32_t os_tid);
  void take_lane(Thread& thread, const LaneRecord& record, std::string_view name);
  void take_context(Thread& thread, const ContextRecord& record);
  void take_begin(Thread& thread, const BeginRecord& record, std::string_view name);
  void take_end(Thread& thread, const EndRecord& record);
  void take_nvtx(Thread& thread, const NvtxRecord& record, std::string_view name);
  void take_span(Thread& thread, const SpanRecord& record, std::string_view name, std::string_view lane);
  void take_step(const StepRecord& record);

  Open nvtx_open(Thread& thread, const NvtxRecord& record, std::string_view name);
  void push(Stack& stack, std::uint32_t depth, Open open);
  Open pop(Stack& stack, std::uint32_t depth);
  void write(const Open& open, std::int64_t end, std::int64_t bytes = -1, double flops = -1);
  void close_all(Thread& thread, std::int64_t time_ns);
  std::int32_t work_track(Thread& thread);
  std::int32_t range_track(Thread& thread);  // for ranges: never on an execution lane

  trace::TraceWriter& writer_;
  LaneBook& lanes_;
  const std::int32_t default_rank_;
  std::map<std::uint32_t, Thread> threads_;
  std::map<std::pair<std::int32_t, std::int32_t>, trace::StepRow> steps_;  // by ordinal, rank; the last ones
  std::unordered_map<std::uint64_t, StartedRange> ranges_;
  std::unordered_map<const NvtxString*, std::int32_t> registered_names_;
  std::uint64_t lost_pairs_ = 0;
  bool rank_was_said_ = false;
};

}  // namespace moescope::collector

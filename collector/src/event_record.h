#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a thread writes into its ring: begins and ends as they happen, in order, 16 bytes of head and what belongs to
// them. Pairing begins with ends, interning and everything else that costs is the flush thread's (span_assembler).
// Texts follow the struct, name first; they are not terminated.

#include <cstdint>

namespace moescope::collector {

struct NvtxDomain;
struct NvtxString;

enum class RecordType : std::uint8_t {
  kBegin,       // BeginRecord
  kEnd,         // EndRecord
  kNvtxPush,    // NvtxRecord
  kNvtxPop,     // NvtxRecord without text
  kNvtxMark,    // NvtxRecord
  kNvtxStart,   // NvtxRecord, range
  kNvtxFinish,  // NvtxRecord, range
  kLane,        // LaneRecord: this thread works for another rank, or on another lane
  kContext,     // ContextRecord: step, layer, micro-batch, pass from now on
  kSpan,        // SpanRecord
  kStepBegin,   // StepRecord
  kStepEnd,     // StepRecord
  kThreadName,  // ThreadNameRecord
  kThreadExit,  // RecordHead
};

struct RecordHead {
  std::uint16_t bytes;  // of the whole record
  RecordType type;
  std::uint8_t flags;
  std::uint32_t depth;  // of a nested range: how many were open around it. A lost record can't shift its neighbours.
  std::int64_t time;    // CLOCK_MONOTONIC, ns
};
inline constexpr std::uint8_t kHasText = 1;  // flags: the text is there, be it empty
inline constexpr std::uint8_t kHasLane = 2;

struct BeginRecord {
  RecordHead head;
  std::int32_t stage, wave;
  std::uint32_t name_bytes, reserved;
};
struct EndRecord {
  RecordHead head;
  std::int64_t bytes;
  double flops;
};
struct NvtxRecord {
  RecordHead head;
  const NvtxDomain* domain;      // nullptr: the default domain
  const NvtxString* registered;  // or the text that follows
  std::uint64_t range;           // of start/end ranges
  std::uint32_t name_bytes, reserved;
};
struct LaneRecord {
  RecordHead head;
  std::int32_t rank, world_size, kind;
  std::uint32_t name_bytes;
};
struct ContextRecord {
  RecordHead head;
  std::int32_t rank, step, layer, micro_batch, pass, reserved;
};
struct SpanRecord {
  RecordHead head;  // time: start, on the span's clock
  std::int64_t end, bytes;
  double flops;
  std::uint32_t clock;
  std::int32_t lane_kind, kind, stage, role, part, rank, pass, step, layer, micro_batch, wave, chunk;
  std::uint32_t name_bytes, lane_bytes, reserved;
};
struct StepRecord {
  RecordHead head;
  std::int32_t rank, step;
  std::int64_t number;
  std::int32_t kind, reserved;
};
struct ThreadNameRecord {
  RecordHead head;
  std::uint32_t os_tid, name_bytes;
};

inline constexpr std::uint32_t kLongestText = 1000;  // bytes; longer names are cut

}  // namespace moescope::collector

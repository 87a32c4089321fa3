#pragma once
// SPDX-License-Identifier: Apache-2.0
// The run file's format as C++ sees it: version, identity, and one struct a table row. raw_schema.sql has each column's
// unit. Whoever reads or writes run files includes this; nobody else knows column names.

#include <cstdint>
#include <string>
#include <vector>

#include "moescope/stage.h"

namespace moescope::trace {

inline constexpr int kSchemaVersion = 1;                    // PRAGMA user_version
inline constexpr std::int32_t kApplicationId = 0x4d6f6553;  // "MoeS", PRAGMA application_id
inline constexpr const char* kRunFileSuffix = ".moe.db";

// The whole of raw_schema.sql, and the INSERTs that fill enum_value from moescope/stage.h.
const char* raw_schema_sql();
std::string enum_values_sql();

struct RunRow {
  std::string tool_version, file_uuid, run_id, run_id_source = "random";
  std::int64_t attempt = 0;
  std::string format = "moescope", source_path;
  std::int64_t started_unix_ns = 0;
};
struct ProcessRow {
  std::string host;
  std::int64_t pid = -1, image_start_ns = 0;
  std::string boot_id;
  std::int64_t pid_namespace = -1;
  std::string executable, argv = "[]", rank_source = "none";
};
struct RankRow {
  std::int32_t rank = -1, world_size = -1, local_rank = -1, node = -1;
};
struct DeviceRow {
  std::int32_t rank = -1, device = 0;
  std::string name;
  double peak_flops = -1, link_gb_s = -1;  // -1: unknown, stored as NULL
  std::int32_t link_kind = MOESCOPE_LINK_UNKNOWN, sm_count = -1;
  std::string source;
};
struct ModelRow {
  std::string name;
  std::int32_t hidden = -1, intermediate = -1, experts = -1, top_k = -1, layers = -1, shared_experts = -1, gated = -1;
  double dispatch_bytes_per_element = -1, combine_bytes_per_element = -1, weight_bytes_per_element = -1;
  std::int32_t synthetic_routing = -1;
  std::string source;
};
struct ClockRow {
  std::int32_t id = 0, kind = MOESCOPE_CLOCK_MONOTONIC;
  std::string name = "monotonic";
  std::int64_t base_ns = 0;
};
struct ClockSyncRow {
  std::int32_t clock_a = 0;
  std::int64_t a_ns = 0;
  std::int32_t clock_b = 0;
  std::int64_t b_ns = 0, uncertainty_ns = 0;
};
struct TrackRow {
  std::int32_t id = 0, rank = -1, device = -1, kind = MOESCOPE_TRACK_HOST_THREAD, clock = 0;
  std::int64_t os_tid = -1, stream = -1;
  std::string name;
};
struct ContextRow {
  std::int32_t kind = MOESCOPE_SPAN_RANGE, copy_kind = MOESCOPE_COPY_NONE, stage = MOESCOPE_STAGE_UNATTRIBUTED,
               role = MOESCOPE_STAGE_UNATTRIBUTED, part = MOESCOPE_PART_PAYLOAD, pass = MOESCOPE_PASS_UNKNOWN;
  std::int32_t step = -1, layer = -1, micro_batch = -1, wave = -1, chunk = -1;
  std::int32_t source = MOESCOPE_SOURCE_ANNOTATION, flags = 0;
  friend bool operator==(const ContextRow&, const ContextRow&) = default;
};
inline constexpr std::int32_t kFlagUnterminated = 1;  // closed at flush, its end was never seen
inline constexpr std::int32_t kFlagNoTimestamps = 2;  // start = end = 0 in the source
inline constexpr std::int32_t kFlagOperator = 4;      // a range a framework puts around its operators, not the user's

struct SpanRow {
  std::int64_t start_rel = 0, dur = 0;  // ns
  std::int32_t track = 0, name = 0, context = 0;
  std::int64_t correlation = 0;
  std::int64_t bytes = -1;  // -1: none; a span with neither bytes nor flops has no span_quantity row
  double flops = -1;        // -1: none
};
struct StepRow {
  std::int32_t rank = -1, step = 0;
  std::int64_t number = 0;
  std::int32_t kind = MOESCOPE_STEP_UNKNOWN, clock = 0;
  std::int64_t start_rel = 0, dur = -1;
};
struct RouterLoadRow {
  std::int32_t step = -1, layer = -1, micro_batch = -1, rank = -1, expert = -1, side = MOESCOPE_SIDE_RECEIVED;
  std::int64_t assigned = 0, kept = 0;
};
struct PeerTrafficRow {
  std::int32_t step = -1, layer = -1, micro_batch = -1, wave = -1, stage = MOESCOPE_STAGE_UNATTRIBUTED,
               pass = MOESCOPE_PASS_UNKNOWN, src_rank = -1, dst_rank = -1;
  std::int64_t bytes = 0;
};
struct CommGroupRow {
  std::int32_t id = 0, kind = MOESCOPE_GROUP_EP;
  std::string name;
  std::vector<std::int32_t> ranks;  // in group order; comm_group_rank
};
struct CollectiveRow {
  std::int64_t span = -1;  // rowid: spans have 1, 2, 3, ... in the order they were given
  std::int32_t rank = -1, comm_group = -1;
  std::int64_t sequence = -1;
  std::int32_t op = 0, element_type = 0;  // name ids
  std::int64_t elements_in = -1, elements_out = -1, bytes_in = -1, bytes_out = -1;
  std::int32_t group_size = -1, root_or_peer = -1;
  std::string in_splits, out_splits;  // JSON arrays, empty unknown
  std::string algorithm, protocol;
  std::int32_t channels = -1;
};
struct ExpertPlacementRow {
  std::int64_t valid_from_step = 0;
  std::int32_t layer = -1, physical = -1, logical = -1, rank = -1;
};
struct LinkRow {
  std::int32_t id = 0, rank = -1, kind = MOESCOPE_LINK_UNKNOWN;
  std::string name;
  double peak_gb_s = -1;  // -1: unknown, stored as NULL
};
struct LinkSampleRow {
  std::int32_t link = 0;
  std::int64_t t_rel = 0, tx_bytes = 0, rx_bytes = 0;
};
struct DeviceSampleRow {
  std::int32_t rank = -1, device = 0;
  std::int64_t t_rel = 0;
  std::int32_t quantity = 0;  // name id; the unit is in the name
  double value = 0;
};
struct DiagnosticRow {
  std::string severity, code;  // info|warning|error; snake_case
  std::int64_t count = 1;
  std::string detail;
};

}  // namespace moescope::trace

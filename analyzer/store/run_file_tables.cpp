// SPDX-License-Identifier: Apache-2.0
#include "analyzer/store/run_file_tables.h"

#include <charconv>
#include <limits>

#include "analyzer/model/trace_error.h"
#include "collector/trace/schema.h"

namespace moescope {
namespace {

using trace::Statement;

constexpr Ns kFarthest = Ns{1} << 61;  // ns; sums of two stay inside 64 bits

// A number this version doesn't know becomes the enumeration's "unknown", its zero.
template <class E>
E enumerated(std::int64_t value, int count) {
  return value >= 0 && value < count ? static_cast<E>(value) : E{};
}
std::int32_t small(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max()
             ? static_cast<std::int32_t>(value)
             : -1;
}
double real_or_unknown(const Statement& row, int column) {
  return row.is_null(column) ? -1 : row.real(column);
}

}  // namespace

RunFileTables::RunFileTables(const std::string& path, trace::Database& database, TraceBuilder& builder)
    : path_(path), database_(database), builder_(builder) {}

void RunFileTables::damaged(const char* table, const std::string& trouble) const {
  throw TraceError(path_, std::string("table ") + table, trouble, "the file is damaged; copy it again");
}

Statement RunFileTables::query(const char* table, const char* sql) {
  Statement statement;
  if (const auto status = database_.prepare(sql, &statement); !status) damaged(table, status.error);
  return statement;
}

template <class Take>
void RunFileTables::rows(const char* table, const char* sql, Take take) {
  Statement statement = query(table, sql);
  while (statement.step()) take(statement);
  if (!statement.ok()) damaged(table, database_.error());
}

template <class Map>
const typename Map::mapped_type& RunFileTables::look_up(const char* table, const char* what, const Map& map,
                                                        std::int64_t id) const {
  const auto found = map.find(id);
  if (found == map.end())
    damaged(table, std::string("names ") + what + " " + std::to_string(id) + ", which is not there");
  return found->second;
}

Ns RunFileTables::absolute(const char* table, const ClockHere& clock, std::int64_t relative) const {
  if (relative > kFarthest || relative < -kFarthest) damaged(table, "a time out of any range");
  return clock.base + relative;
}

void RunFileTables::read() {
  run_and_process();
  ranks_and_devices();
  model();
  clocks();
  tracks();
  names();
  contexts();
  steps();
  spans();
  router_and_traffic();
  groups_and_placement();
  collectives();
  links();
  device_samples();
  diagnostics();
}

void RunFileTables::run_and_process() {
  SourceFile file;
  file.path = path_;
  bool any = false;
  rows("run", "SELECT file_uuid, run_id, format, started_unix_ns, end_kind FROM run", [&](Statement& row) {
    any = true;
    file.file_uuid = row.text(0);
    file.run_id = row.text(1);
    file.format = row.text(2);
    file.started_unix_ns = row.integer(3);
    if (row.is_null(4)) {
      file.cut_short = true;
      file.cut_short_reason = "no clean end: killed, or still running";
    }
  });
  if (!any) damaged("run", "has no row");
  rows("process", "SELECT host, pid, boot_id, executable, argv FROM process", [&](Statement& row) {
    file.host = row.text(0);
    file.pid = row.integer(1);
    boot_id_ = row.text(2);
    file.executable = row.text(3);
    file.argv = row.text(4);
  });
  host_ = file.host;
  builder_.trace().files.push_back(std::move(file));
}

void RunFileTables::ranks_and_devices() {
  rows("rank", "SELECT rank, world_size, local_rank, node FROM rank", [&](Statement& row) {
    builder_.rank(
        {RankId(small(row.integer(0))), small(row.integer(1)), small(row.integer(2)), small(row.integer(3)), host_});
  });
  rows("device", "SELECT rank, device, name, peak_flops, link_gb_s, link_kind, sm_count, source FROM device",
       [&](Statement& row) {
         Device device;
         device.key = {RankId(small(row.integer(0))), small(row.integer(1))};
         device.name = row.text(2);
         device.peak_flops = real_or_unknown(row, 3);
         device.link_gb_s = real_or_unknown(row, 4);
         device.link_kind = enumerated<LinkKind>(row.integer(5), MOESCOPE_LINK_KIND_COUNT);
         device.sm_count = small(row.integer(6));
         device.source = row.text(7);
         builder_.device(device);
       });
}

void RunFileTables::model() {
  rows("model",
       "SELECT name, hidden, intermediate, experts, top_k, layers, shared_experts, gated, dispatch_bytes_per_element, "
       "combine_bytes_per_element, weight_bytes_per_element, synthetic_routing, source FROM model",
       [&](Statement& row) {
         Model model;
         model.name = row.text(0);
         model.hidden = small(row.integer(1));
         model.intermediate = small(row.integer(2));
         model.experts = small(row.integer(3));
         model.top_k = small(row.integer(4));
         model.layers = small(row.integer(5));
         model.shared_experts = small(row.integer(6));
         model.gated = small(row.integer(7));
         model.dispatch_bytes_per_element = real_or_unknown(row, 8);
         model.combine_bytes_per_element = real_or_unknown(row, 9);
         model.weight_bytes_per_element = real_or_unknown(row, 10);
         model.synthetic_routing = small(row.integer(11));
         model.source = row.text(12);
         if (!builder_.trace().model) builder_.trace().model = std::move(model);
       });
}

void RunFileTables::clocks() {
  const bool recorded = builder_.trace().files.back().format == "moescope";
  rows("clock", "SELECT id, kind, name, base_ns FROM clock ORDER BY id", [&](Statement& row) {
    const std::int64_t id = row.integer(0);
    Clock clock;
    clock.kind = enumerated<ClockKind>(row.integer(1), MOESCOPE_CLOCK_KIND_COUNT);
    clock.name = row.text(2);
    // Clock 0 is the host's; what an importer put into one file may come from many hosts.
    if (id == 0 || recorded) clock.boot_id = boot_id_;
    if (row.integer(3) > kFarthest || row.integer(3) < -kFarthest) damaged("clock", "a time out of any range");
    clocks_[id] = {builder_.clock(std::move(clock)), row.integer(3)};
  });
  rows("clock_sync", "SELECT clock_a, a_ns, clock_b, b_ns, uncertainty_ns FROM clock_sync", [&](Statement& row) {
    builder_.trace().clock_syncs.push_back({look_up("clock_sync", "clock", clocks_, row.integer(0)).id,
                                            look_up("clock_sync", "clock", clocks_, row.integer(2)).id, row.integer(1),
                                            row.integer(3), row.integer(4)});
  });
}

void RunFileTables::tracks() {
  rows("track", "SELECT id, rank, device, kind, clock, os_tid, stream, name FROM track ORDER BY id",
       [&](Statement& row) {
         const ClockHere& clock = look_up("track", "clock", clocks_, row.integer(4));
         Track track;
         track.rank = RankId(small(row.integer(1)));
         track.device = small(row.integer(2));
         track.kind = enumerated<TrackKind>(row.integer(3), MOESCOPE_TRACK_KIND_COUNT);
         track.clock = clock.id;
         track.os_tid = row.integer(5);
         track.stream = row.integer(6);
         track.name = row.text(7);
         tracks_[row.integer(0)] = {builder_.track(std::move(track)), clock};
       });
}

void RunFileTables::names() {
  rows("name", "SELECT id, text FROM name ORDER BY id",
       [&](Statement& row) { names_[row.integer(0)] = builder_.name(row.text(1)); });
}

void RunFileTables::contexts() {
  rows("context",
       "SELECT id, kind, copy_kind, stage, role, part, pass, step, layer, micro_batch, wave, chunk, source, flags "
       "FROM context ORDER BY id",
       [&](Statement& row) {
         Context context;
         context.kind = enumerated<SpanKind>(row.integer(1), MOESCOPE_SPAN_KIND_COUNT);
         context.copy_kind = enumerated<CopyKind>(row.integer(2), MOESCOPE_COPY_KIND_COUNT);
         context.stage = enumerated<Stage>(row.integer(3), MOESCOPE_STAGE_COUNT);
         context.role = enumerated<Stage>(row.integer(4), MOESCOPE_STAGE_COUNT);
         context.part = enumerated<Part>(row.integer(5), MOESCOPE_PART_COUNT);
         context.pass = enumerated<Pass>(row.integer(6), MOESCOPE_PASS_COUNT);
         context.step = StepId(small(row.integer(7)));
         context.layer = LayerId(small(row.integer(8)));
         context.micro_batch = MicroBatchId(small(row.integer(9)));
         context.wave = WaveId(small(row.integer(10)));
         context.chunk = small(row.integer(11));
         context.source = enumerated<Source>(row.integer(12), MOESCOPE_SOURCE_COUNT);
         context.flags = small(row.integer(13));
         contexts_[row.integer(0)] = builder_.context(context);
       });
}

void RunFileTables::steps() {
  rows("step", "SELECT rank, step, number, kind, clock, start_rel, dur FROM step ORDER BY rank, step",
       [&](Statement& row) {
         const ClockHere& clock = look_up("step", "clock", clocks_, row.integer(4));
         const Ns start = absolute("step", clock, row.integer(5)), duration = row.integer(6);
         if (duration > kFarthest) damaged("step", "a duration out of any range");
         builder_.trace().steps.push_back({RankId(small(row.integer(0))),
                                           StepId(small(row.integer(1))),
                                           row.integer(2),
                                           enumerated<StepKind>(row.integer(3), MOESCOPE_STEP_KIND_COUNT),
                                           clock.id,
                                           {start, start + std::max<Ns>(duration, 0)},
                                           duration >= 0});
       });
}

void RunFileTables::spans() {
  first_span_ = static_cast<std::int64_t>(builder_.trace().spans.size());
  // Two tables side by side in the order of rowids: a join would look each quantity up.
  Statement quantity = query("span_quantity", "SELECT span, bytes, flops FROM span_quantity ORDER BY span");
  bool has_quantity = quantity.step();
  rows("span", "SELECT rowid, start_rel, dur, track, name, context, correlation FROM span ORDER BY rowid",
       [&](Statement& row) {
         const auto& [track, clock] = look_up("span", "track", tracks_, row.integer(3));
         const Ns start = absolute("span", clock, row.integer(1)), duration = row.integer(2);
         if (duration < 0 || duration > kFarthest) damaged("span", "a duration out of any range");
         std::int64_t bytes = -1;
         double flops = -1;
         while (has_quantity && quantity.integer(0) < row.integer(0)) has_quantity = quantity.step();
         if (has_quantity && quantity.integer(0) == row.integer(0)) {
           bytes = quantity.integer(1);
           flops = real_or_unknown(quantity, 2);
         }
         builder_.span(start, duration, track, look_up("span", "name", names_, row.integer(4)),
                       look_up("span", "context", contexts_, row.integer(5)), row.integer(6), bytes, flops);
       });
  if (!quantity.ok()) damaged("span_quantity", database_.error());
}

void RunFileTables::router_and_traffic() {
  Trace& trace = builder_.trace();
  rows("router_load", "SELECT step, layer, micro_batch, rank, expert, side, assigned, kept FROM router_load",
       [&](Statement& row) {
         trace.router_loads.push_back(
             {StepId(small(row.integer(0))), LayerId(small(row.integer(1))), MicroBatchId(small(row.integer(2))),
              RankId(small(row.integer(3))), ExpertId(small(row.integer(4))),
              enumerated<Side>(row.integer(5), MOESCOPE_SIDE_COUNT), row.integer(6), row.integer(7)});
       });
  rows("peer_traffic",
       "SELECT step, layer, micro_batch, wave, stage, pass, src_rank, dst_rank, bytes FROM peer_traffic",
       [&](Statement& row) {
         trace.peer_traffic.push_back({StepId(small(row.integer(0))), LayerId(small(row.integer(1))),
                                       MicroBatchId(small(row.integer(2))), WaveId(small(row.integer(3))),
                                       enumerated<Stage>(row.integer(4), MOESCOPE_STAGE_COUNT),
                                       enumerated<Pass>(row.integer(5), MOESCOPE_PASS_COUNT),
                                       RankId(small(row.integer(6))), RankId(small(row.integer(7))), row.integer(8)});
       });
}

void RunFileTables::groups_and_placement() {
  Trace& trace = builder_.trace();
  rows("comm_group", "SELECT id, kind, name FROM comm_group ORDER BY id", [&](Statement& row) {
    groups_[row.integer(0)] = static_cast<std::int32_t>(trace.comm_groups.size());
    const std::int64_t kind = row.integer(1);
    trace.comm_groups.push_back(
        {kind >= 0 && kind < MOESCOPE_GROUP_KIND_COUNT ? static_cast<GroupKind>(kind) : GroupKind::kUNKNOWN,
         row.text(2),
         {}});
  });
  rows("comm_group_rank", "SELECT comm_group, rank FROM comm_group_rank ORDER BY comm_group, position",
       [&](Statement& row) {
         trace.comm_groups[static_cast<std::size_t>(look_up("comm_group_rank", "group", groups_, row.integer(0)))]
             .ranks.push_back(small(row.integer(1)));
       });
  rows("expert_placement", "SELECT valid_from_step, layer, physical, logical, rank FROM expert_placement",
       [&](Statement& row) {
         trace.expert_placements.push_back({row.integer(0), small(row.integer(1)), small(row.integer(2)),
                                            small(row.integer(3)), RankId(small(row.integer(4)))});
       });
}

// "[1,2,3]", or nothing where unknown.
std::vector<std::int64_t> RunFileTables::integers(const char* table, const std::string& list) const {
  std::vector<std::int64_t> numbers;
  if (list.empty()) return numbers;
  const char *at = list.data(), *const end = at + list.size();
  if (*at++ != '[' || list.back() != ']') damaged(table, "a list that is none");
  while (at < end && *at != ']') {
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || (*next != ',' && *next != ']')) damaged(table, "a list that is none");
    numbers.push_back(number);
    at = *next == ',' ? next + 1 : next;
  }
  return numbers;
}

void RunFileTables::collectives() {
  const auto spans = static_cast<std::int64_t>(builder_.trace().spans.size()) - first_span_;
  rows("collective",
       "SELECT span, rank, comm_group, sequence, op, element_type, elements_in, elements_out, bytes_in, bytes_out, "
       "group_size, root_or_peer, in_splits, out_splits, algorithm, protocol, channels FROM collective",
       [&](Statement& row) {
         Collective one;
         const std::int64_t span = row.integer(0);
         if (span > spans) damaged("collective", "names span " + std::to_string(span) + ", which is not there");
         if (span > 0) one.span = first_span_ + span - 1;  // rowids count from 1 without a gap
         one.rank = RankId(small(row.integer(1)));
         if (row.integer(2) >= 0) one.comm_group = look_up("collective", "group", groups_, row.integer(2));
         one.sequence = row.integer(3);
         one.op = look_up("collective", "name", names_, row.integer(4));
         one.element_type = look_up("collective", "name", names_, row.integer(5));
         one.elements_in = row.integer(6);
         one.elements_out = row.integer(7);
         one.bytes_in = row.integer(8);
         one.bytes_out = row.integer(9);
         one.group_size = small(row.integer(10));
         one.root_or_peer = small(row.integer(11));
         one.in_splits = integers("collective", row.text(12));
         one.out_splits = integers("collective", row.text(13));
         one.algorithm = row.text(14);
         one.protocol = row.text(15);
         one.channels = small(row.integer(16));
         builder_.collective(std::move(one));
       });
}

void RunFileTables::device_samples() {
  rows("device_sample", "SELECT rank, device, t_rel, quantity, value FROM device_sample ORDER BY rank, device, t_rel",
       [&](Statement& row) {
         builder_.trace().device_samples.push_back(
             {{RankId(small(row.integer(0))), small(row.integer(1))},
              absolute("device_sample", look_up("device_sample", "clock", clocks_, 0), row.integer(2)),
              look_up("device_sample", "name", names_, row.integer(3)),
              row.real(4)});
       });
}

void RunFileTables::links() {
  std::unordered_map<std::int64_t, LinkId> links;
  rows("link", "SELECT id, rank, kind, name, peak_gb_s FROM link ORDER BY id", [&](Statement& row) {
    links[row.integer(0)] =
        builder_.link({RankId(small(row.integer(1))), enumerated<LinkKind>(row.integer(2), MOESCOPE_LINK_KIND_COUNT),
                       row.text(3), real_or_unknown(row, 4)});
  });
  rows("link_sample", "SELECT link, t_rel, tx_bytes, rx_bytes FROM link_sample ORDER BY link, t_rel",
       [&](Statement& row) {
         builder_.trace().link_samples.push_back(
             {look_up("link_sample", "link", links, row.integer(0)),
              absolute("link_sample", look_up("link_sample", "clock", clocks_, 0), row.integer(1)), row.integer(2),
              row.integer(3)});
       });
}

void RunFileTables::diagnostics() {
  rows("diagnostic", "SELECT severity, code, count, detail FROM diagnostic", [&](Statement& row) {
    Diagnostic diagnostic{row.text(0), row.text(1), row.integer(2), row.text(3)};
    if (diagnostic.code == "cut_short") {  // an importer read a source that ended early
      SourceFile& file = builder_.trace().files.back();
      file.cut_short = true;
      file.cut_short_reason = diagnostic.detail;
      return;
    }
    builder_.trace().diagnostics.push_back(std::move(diagnostic));
  });
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "collector/src/annotations.h"

#include <algorithm>

#include "collector/src/clock_sync.h"
#include "collector/src/job_clocks.h"
#include "collector/src/session.h"
#include "collector/src/thread_state.h"

namespace moescope::collector {
namespace {

using RankPosition = ThreadState::RankPosition;

// A struct of an older header ends earlier: the fields it lacks keep the defaults of ours.
template <class Struct>
bool adopt(const Struct* given, Struct& mine) {
  if (given == nullptr || given->abi != MOESCOPE_ABI || given->size < 8) return false;
  std::memcpy(static_cast<void*>(&mine), given, std::min<std::size_t>(given->size, sizeof mine));
  return true;
}

bool valid(int value, int count) {
  return value >= 0 && value < count;
}
int stage_or_unattributed(int stage) {
  return valid(stage, MOESCOPE_STAGE_COUNT) ? stage : MOESCOPE_STAGE_UNATTRIBUTED;
}

// Runs a call that isn't on the fast path; what it throws (no memory) is counted as a dropped record.
template <class Call>
void rarely(Call call) {
  const Entered thread;
  if (!thread) return;
  try {
    call(*thread);
  } catch (...) {
    ThreadState::count(thread->dropped);
  }
}

std::int32_t rank_or_mine(const ThreadState& thread, std::int32_t rank) {
  return rank >= 0 ? rank : thread.positions[thread.position].rank;
}

// The ordinal a span or a load belongs to: of the user's number where one is given, else where the thread stands. For
// another rank than the thread's own: that rank's step of the same number.
std::int32_t step_ordinal(ThreadState& thread, std::int32_t rank, std::int64_t number) {
  const RankPosition& here = thread.here();
  if (number < 0) {
    if (here.step < 0 || rank == here.rank) return here.step;
    number = here.number;
  } else if (rank == here.rank && here.step >= 0 && here.number == number) {
    return here.step;
  }
  return thread.session->with_steps([&](StepOrdinals& steps) { return steps.find(rank, number); });
}

void write_step(ThreadState& thread, RecordType type, const RankPosition& at, int kind) {
  const bool fine = thread.write<StepRecord>(type, true, {}, {}, [&](StepRecord& r) {
    r.rank = at.rank;
    r.step = at.step;
    r.number = at.number;
    r.kind = kind;
    r.reserved = 0;
    r.head.time = monotonic_ns();
  });
  if (fine) thread.written();
}

// --- the table, in its order

std::uint32_t api_clock(const char* name, int kind) {
  const Entered thread;
  return thread && valid(kind, MOESCOPE_CLOCK_KIND_COUNT) ? job_clock_id(name, kind) : 0;
}

void api_rank(int rank, int world_size, const char* lane, int lane_kind) {
  rarely([&](ThreadState& thread) {
    auto at = std::find_if(thread.positions.begin(), thread.positions.end(),
                           [&](const RankPosition& p) { return p.rank == rank; });
    if (at == thread.positions.end()) at = thread.positions.insert(at, RankPosition{rank});
    thread.position = static_cast<std::size_t>(at - thread.positions.begin());
    thread.context_changed = true;
    const std::string_view text = text_of(lane);
    thread.write<LaneRecord>(RecordType::kLane, true, text, {}, [&](LaneRecord& r) {
      r.head.time = 0;
      r.rank = rank;
      r.world_size = world_size;
      r.kind = valid(lane_kind, MOESCOPE_TRACK_KIND_COUNT) ? lane_kind : MOESCOPE_TRACK_HOST_THREAD;
      r.name_bytes = static_cast<std::uint32_t>(text.size());
    });
  });
}

void end_step(ThreadState& thread) {
  RankPosition& here = thread.here();
  if (here.step < 0) return;
  thread.session->with_steps([&](StepOrdinals& steps) { steps.end(here.rank, here.step); });
  write_step(thread, RecordType::kStepEnd, here, MOESCOPE_STEP_UNKNOWN);
  here.step = -1;
  thread.context_changed = true;
}

void api_step_begin(std::int64_t number, int step_kind) {
  rarely([&](ThreadState& thread) {
    end_step(thread);  // one that was left open ends where the next begins
    RankPosition& here = thread.here();
    here.step =
        thread.session->with_steps([&](StepOrdinals& steps) { return steps.begin(here.rank, number, here.last_step); });
    here.last_step = here.step;
    here.number = number;
    thread.context_changed = true;
    write_step(thread, RecordType::kStepBegin, here,
               valid(step_kind, MOESCOPE_STEP_KIND_COUNT) ? step_kind : MOESCOPE_STEP_UNKNOWN);
  });
}

void api_step_end() {
  rarely([](ThreadState& thread) {
    if (thread.here().step < 0) ThreadState::count(thread.unbalanced);
    end_step(thread);
  });
}

void set(std::int32_t ThreadState::*field, std::int32_t value) {
  const Entered thread;
  if (!thread || (*thread).*field == value) return;
  (*thread).*field = value;
  thread->context_changed = true;
}
void api_layer(int layer) {
  set(&ThreadState::layer, layer);
}
void api_micro_batch(int micro_batch) {
  set(&ThreadState::micro_batch, micro_batch);
}
void api_pass(int pass) {
  set(&ThreadState::pass, valid(pass, MOESCOPE_PASS_COUNT) ? pass : MOESCOPE_PASS_UNKNOWN);
}

void api_begin(int stage, const char* name, int wave) {
  const Entered thread;
  if (!thread) return;
  thread->write_context();
  const std::string_view text = text_of(name);
  const bool fine = thread->write<BeginRecord>(RecordType::kBegin, false, text, {}, [&](BeginRecord& r) {
    r.head.flags = name != nullptr ? kHasText : 0;
    r.head.depth = thread->depth;
    r.stage = stage_or_unattributed(stage);
    r.wave = wave;
    r.name_bytes = static_cast<std::uint32_t>(text.size());
    r.reserved = 0;
    r.head.time = monotonic_ns();  // last: our own work is not in the span
  });
  ++thread->depth;
  if (fine) thread->written();
}

void api_end(std::int64_t bytes, double flops) {
  const Entered thread;
  if (!thread) return;
  const std::int64_t now = monotonic_ns();
  if (thread->depth == 0) {
    ThreadState::count(thread->unbalanced);
    return;
  }
  const std::uint32_t depth = --thread->depth;
  const bool fine = thread->write<EndRecord>(RecordType::kEnd, true, {}, {}, [&](EndRecord& r) {
    r.head.time = now;
    r.head.depth = depth;
    r.bytes = bytes;
    r.flops = flops;
  });
  if (fine) thread->written();
}

void api_span(const moescope_span_t* given) {
  moescope_span_t span = MOESCOPE_SPAN_INIT;
  if (!adopt(given, span)) return;
  rarely([&](ThreadState& thread) {
    const std::int32_t rank = rank_or_mine(thread, span.rank);
    const std::int32_t step = step_ordinal(thread, rank, span.step);
    const std::string_view name = text_of(span.name), lane = text_of(span.lane);
    const int stage = stage_or_unattributed(span.stage);
    const bool fine = thread.write<SpanRecord>(RecordType::kSpan, false, name, lane, [&](SpanRecord& r) {
      r.head.time = span.start_ns;
      r.head.flags =
          static_cast<std::uint8_t>((span.name != nullptr ? kHasText : 0) | (span.lane != nullptr ? kHasLane : 0));
      r.end = std::max(span.end_ns, span.start_ns);
      r.bytes = span.bytes;
      r.flops = span.flops;
      r.clock = job_clock_known(span.clock) ? span.clock : 0;
      r.lane_kind = valid(span.lane_kind, MOESCOPE_TRACK_KIND_COUNT) ? span.lane_kind : MOESCOPE_TRACK_EXECUTION;
      r.kind = valid(span.kind, MOESCOPE_SPAN_KIND_COUNT) ? span.kind : MOESCOPE_SPAN_WORK;
      r.stage = stage;
      r.role = valid(span.role, MOESCOPE_STAGE_COUNT) ? span.role : stage;
      r.part = valid(span.part, MOESCOPE_PART_COUNT) ? span.part : MOESCOPE_PART_PAYLOAD;
      r.rank = rank;
      r.pass = valid(span.pass, MOESCOPE_PASS_COUNT) ? span.pass : thread.pass;
      r.step = step;
      r.layer = span.layer >= 0 ? span.layer : thread.layer;
      r.micro_batch = span.micro_batch >= 0 ? span.micro_batch : thread.micro_batch;
      r.wave = span.wave;
      r.chunk = span.chunk;
      r.name_bytes = static_cast<std::uint32_t>(name.size());
      r.lane_bytes = static_cast<std::uint32_t>(lane.size());
      r.reserved = 0;
    });
    if (fine) thread.written();
  });
}

void api_router_load(const moescope_router_load_t* given) {
  moescope_router_load_t load = MOESCOPE_ROUTER_LOAD_INIT;
  if (!adopt(given, load) || load.assigned == nullptr || load.experts <= 0) return;
  rarely([&](ThreadState& thread) {
    trace::RouterLoadRow row;
    row.rank = rank_or_mine(thread, load.rank);
    row.step = step_ordinal(thread, row.rank, load.step);
    row.layer = load.layer >= 0 ? load.layer : thread.layer;
    row.micro_batch = load.micro_batch >= 0 ? load.micro_batch : thread.micro_batch;
    row.side = valid(load.side, MOESCOPE_SIDE_COUNT) ? load.side : MOESCOPE_SIDE_RECEIVED;
    RouterLoads rows;
    rows.reserve(static_cast<std::size_t>(load.experts));
    for (std::int32_t i = 0; i < load.experts; ++i) {
      row.expert = load.first_expert + i;
      row.assigned = load.assigned[i];
      row.kept = load.kept != nullptr ? load.kept[i] : row.assigned;
      rows.push_back(row);
    }
    thread.session->say(std::move(rows));
  });
}

void api_peer_traffic(const moescope_peer_traffic_t* given) {
  moescope_peer_traffic_t traffic = MOESCOPE_PEER_TRAFFIC_INIT;
  if (!adopt(given, traffic) || traffic.bytes_to == nullptr || traffic.peers <= 0) return;
  rarely([&](ThreadState& thread) {
    trace::PeerTrafficRow row;
    row.src_rank = rank_or_mine(thread, traffic.rank);
    row.step = step_ordinal(thread, row.src_rank, traffic.step);
    row.layer = traffic.layer >= 0 ? traffic.layer : thread.layer;
    row.micro_batch = traffic.micro_batch >= 0 ? traffic.micro_batch : thread.micro_batch;
    row.wave = traffic.wave;
    row.stage = stage_or_unattributed(traffic.stage);
    row.pass = valid(traffic.pass, MOESCOPE_PASS_COUNT) ? traffic.pass : thread.pass;
    PeerTraffics rows;
    rows.reserve(static_cast<std::size_t>(traffic.peers));
    for (std::int32_t i = 0; i < traffic.peers; ++i) {
      row.dst_rank = i;
      row.bytes = traffic.bytes_to[i];
      rows.push_back(row);
    }
    thread.session->say(std::move(rows));
  });
}

void api_model(const moescope_model_t* given) {
  moescope_model_t model = MOESCOPE_MODEL_INIT;
  if (!adopt(given, model)) return;
  rarely([&](ThreadState& thread) {
    trace::ModelRow row;
    row.name = text_of(model.name);
    row.hidden = model.hidden;
    row.intermediate = model.intermediate;
    row.experts = model.experts;
    row.top_k = model.top_k;
    row.layers = model.layers;
    row.shared_experts = model.shared_experts;
    row.gated = model.gated;
    row.dispatch_bytes_per_element = model.dispatch_bytes_per_element;
    row.combine_bytes_per_element = model.combine_bytes_per_element;
    row.weight_bytes_per_element = model.weight_bytes_per_element;
    row.synthetic_routing = model.synthetic_routing;
    row.source = "annotation";
    thread.session->say(std::move(row));
  });
}

void api_device(const moescope_device_t* given) {
  moescope_device_t device = MOESCOPE_DEVICE_INIT;
  if (!adopt(given, device)) return;
  rarely([&](ThreadState& thread) {
    trace::DeviceRow row;
    row.rank = rank_or_mine(thread, device.rank);
    row.device = device.device;
    row.name = text_of(device.name);
    row.peak_flops = device.peak_flops;
    row.link_gb_s = device.link_gb_s;
    row.link_kind = valid(device.link_kind, MOESCOPE_LINK_KIND_COUNT) ? device.link_kind : MOESCOPE_LINK_UNKNOWN;
    row.source = "annotation";
    thread.session->say(NodeOfRank{row.rank, device.node});
    thread.session->say(std::move(row));
  });
}

void api_comm_group(int kind, const char* name, int size, const std::int32_t* ranks) {
  if (!valid(kind, MOESCOPE_GROUP_KIND_COUNT) || size < 0 || (size > 0 && ranks == nullptr)) return;
  rarely([&](ThreadState& thread) {
    trace::CommGroupRow row;
    row.kind = kind;
    row.name = text_of(name);
    row.ranks.assign(ranks, ranks + size);
    thread.session->say(std::move(row));
  });
}

void api_expert_placement(std::int64_t valid_from_step, int layer, int physical, int logical, int rank) {
  rarely([&](ThreadState& thread) {
    thread.session->say(trace::ExpertPlacementRow{valid_from_step, layer, physical, logical, rank});
  });
}

void api_counter(const char* link, int link_kind, int rank, std::int64_t tx_bytes, std::int64_t rx_bytes) {
  rarely([&](ThreadState& thread) {
    CounterReading reading;
    reading.time_ns = monotonic_ns();
    reading.link = text_of(link);
    reading.kind = valid(link_kind, MOESCOPE_LINK_KIND_COUNT) ? link_kind : MOESCOPE_LINK_UNKNOWN;
    reading.rank = rank_or_mine(thread, rank);
    reading.tx_bytes = tx_bytes;
    reading.rx_bytes = rx_bytes;
    thread.session->say(std::move(reading));
  });
}

void api_step_window(int rank, std::int64_t number, int step_kind, std::uint32_t clock, std::int64_t start_ns,
                     std::int64_t end_ns) {
  rarely([&](ThreadState& thread) {
    StepWindow window;
    window.rank = rank_or_mine(thread, rank);
    window.number = number;
    window.kind = valid(step_kind, MOESCOPE_STEP_KIND_COUNT) ? step_kind : MOESCOPE_STEP_UNKNOWN;
    window.clock = job_clock_known(clock) ? clock : 0;
    window.start_ns = start_ns;
    window.end_ns = std::max(end_ns, start_ns);
    window.step = thread.session->with_steps([&](StepOrdinals& steps) { return steps.window(window.rank, number); });
    thread.session->say(window);
  });
}

constexpr moescope_api_table_t kTable = {sizeof(moescope_api_table_t),
                                         MOESCOPE_ABI,
                                         monotonic_ns,
                                         api_clock,
                                         api_rank,
                                         api_step_begin,
                                         api_step_end,
                                         api_layer,
                                         api_micro_batch,
                                         api_pass,
                                         api_begin,
                                         api_end,
                                         api_span,
                                         api_router_load,
                                         api_peer_traffic,
                                         api_model,
                                         api_device,
                                         api_comm_group,
                                         api_expert_placement,
                                         api_counter,
                                         api_step_window};

}  // namespace

const moescope_api_table_t* annotation_table(std::uint32_t abi) {
  return abi == MOESCOPE_ABI ? &kTable : nullptr;
}

}  // namespace moescope::collector

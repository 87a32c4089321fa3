// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/recording.h"

#include <cmath>
#include <numeric>

#include "moescope/annotate.h"

namespace moescope::reference {

PublicStage public_stage(Stage stage, Direction direction) {
  static_assert(MOESCOPE_STAGE_COMBINE == MOESCOPE_STAGE_DISPATCH + static_cast<int>(Stage::kCombine));
  const bool forward = direction == Direction::kForward;
  const int pass = forward ? MOESCOPE_PASS_FORWARD : MOESCOPE_PASS_BACKWARD_INPUT;
  switch (stage) {
    case Stage::kDense:
      return {MOESCOPE_STAGE_OTHER, MOESCOPE_STAGE_OTHER, pass};
    case Stage::kShared:
      return {MOESCOPE_STAGE_SHARED_EXPERT, MOESCOPE_STAGE_SHARED_EXPERT, pass};
    case Stage::kWeightGradL2:
      return {MOESCOPE_STAGE_L2, MOESCOPE_STAGE_L2, MOESCOPE_PASS_BACKWARD_WEIGHT};
    case Stage::kWeightGradL1:
      return {MOESCOPE_STAGE_L1, MOESCOPE_STAGE_L1, MOESCOPE_PASS_BACKWARD_WEIGHT};
    case Stage::kWeightGradSide:
      return {MOESCOPE_STAGE_OTHER, MOESCOPE_STAGE_OTHER, MOESCOPE_PASS_BACKWARD_WEIGHT};
    case Stage::kAllReduce:
      return {MOESCOPE_STAGE_ALLREDUCE, MOESCOPE_STAGE_ALLREDUCE, MOESCOPE_PASS_BACKWARD_WEIGHT};
    default:
      break;
  }
  const int place = MOESCOPE_STAGE_DISPATCH + static_cast<int>(stage);
  const int mirrored = MOESCOPE_STAGE_COMBINE - static_cast<int>(stage);
  if (forward) return {place, place, pass};
  return {is_link_stage(stage) ? place : mirrored, mirrored, pass};
}

int Recording::wave(Task task) const {
  if (static_cast<int>(task.stage) >= kMoeStageCount) return -1;
  return std::visit([&](const auto& walk) { return walk.wave(task); }, schedule_);
}
int Recording::chunk(Task task) const {
  if (static_cast<int>(task.stage) >= kMoeStageCount) return -1;
  return std::visit([&](const auto& walk) { return walk.chunk(task); }, schedule_);
}
int Recording::step_kind() const {  // without a backward pass, passes over many tokens
  return plan_.shape().backward ? MOESCOPE_STEP_TRAIN : MOESCOPE_STEP_PREFILL;
}
const ExpertRows& Recording::rows(int round) const {
  const Round& r = of_step(round);
  const StepShape& shape = plan_.shape();
  return rows_[static_cast<std::size_t>((step(round) * shape.micro_batches + r.micro_batch) * shape.layers + r.layer)];
}

void Recording::describe_run() const {
  if (!moescope_recording()) return;
  const MoeShape& shape = facts_.shape;
  moescope_model_t model = MOESCOPE_MODEL_INIT;
  model.name = facts_.model.c_str();
  if (facts_.has_work) {
    model.hidden = shape.hidden;
    model.intermediate = shape.intermediate;
    model.experts = shape.experts;
    model.top_k = shape.top_k;
    model.shared_experts = shape.shared_experts;
    model.gated = 1;
    model.dispatch_bytes_per_element = facts_.wire.dispatch_bytes;
    model.combine_bytes_per_element = facts_.wire.combine_bytes;
    model.weight_bytes_per_element = bytes_per_element(facts_.dtype);
  }
  model.layers = shape.layers;
  model.synthetic_routing = 1;
  moescope_model(&model);

  std::vector<std::int32_t> ranks(static_cast<std::size_t>(shape.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  moescope_comm_group(MOESCOPE_GROUP_EP, "ep", shape.ranks, ranks.data());
  for (int rank : ranks) {
    moescope_device_t device = MOESCOPE_DEVICE_INIT;
    device.rank = rank;
    device.node = 0;
    device.name = facts_.device.c_str();
    device.peak_flops = facts_.peak_flops;
    device.link_gb_s = facts_.link_bytes_per_second > 0 ? facts_.link_bytes_per_second / 1e9 : -1.0;
    device.link_kind = MOESCOPE_LINK_EMULATED;
    moescope_device(&device);
  }
  for (int expert = 0; facts_.has_work && expert < shape.experts; ++expert) {
    moescope_expert_placement(0, -1, expert, expert, shape.owner(expert));
  }
}

void Recording::thread_begins(int rank, int lane) const {
  moescope_rank(rank, facts_.shape.ranks, lanes_.name(lane).c_str(), MOESCOPE_TRACK_EXECUTION);
}

void Recording::step_begins(int step) const {
  moescope_step_begin(step, step_kind());
}
void Recording::step_ends() const {
  moescope_step_end();
}

void Recording::task_ran(int round, int rank, Task task, std::int64_t start_ns, std::int64_t end_ns) const {
  moescope_span_t span = MOESCOPE_SPAN_INIT;
  span.start_ns = start_ns;
  span.end_ns = end_ns;
  write(span, round, rank, task);
}

void Recording::write(moescope_span_t& span, int round, int rank, Task task) const {
  const Volume& volume = volumes_.at(round, rank, task);
  const Round& r = of_step(round);
  const PublicStage meaning = public_stage(task.stage, r.direction);
  span.stage = meaning.stage;
  span.role = meaning.role;
  span.pass = meaning.pass;
  span.rank = rank;
  span.step = step(round);
  span.layer = r.layer;
  span.micro_batch = r.micro_batch;
  span.wave = wave(task);
  span.chunk = chunk(task);
  if (facts_.has_work) {
    span.bytes = volume.bytes;
    span.flops = static_cast<double>(volume.flops);
  }
  moescope_span(&span);
  if (task.stage == Stage::kDispatch || task.stage == Stage::kCombine) peer_traffic(round, rank, task);
  if (task == Task{Stage::kDispatch, 0} && r.direction == Direction::kForward) router_load(round, rank);
}

void Recording::router_load(int round, int rank) const {
  if (!facts_.has_work || !moescope_recording()) return;
  const MoeShape& shape = facts_.shape;
  const ExpertRows& rows = this->rows(round);
  std::vector<std::int64_t> sent, received;
  for (int expert = 0; expert < shape.experts; ++expert) {
    sent.push_back(rows.rows(expert, rank));
    if (shape.owner(expert) == rank) received.push_back(rows.rows(expert));
  }
  moescope_router_load_t load = MOESCOPE_ROUTER_LOAD_INIT;
  load.rank = rank;
  load.step = step(round);
  load.layer = of_step(round).layer;
  load.micro_batch = of_step(round).micro_batch;
  load.side = MOESCOPE_SIDE_RECEIVED;
  load.first_expert = shape.first_expert(rank);
  load.experts = shape.local_experts();
  load.assigned = received.data();
  moescope_router_load(&load);
  load.side = MOESCOPE_SIDE_SENT;
  load.first_expert = 0;
  load.experts = shape.experts;
  load.assigned = sent.data();
  moescope_router_load(&load);
}

void Recording::peer_traffic(int round, int rank, Task task) const {
  if (!facts_.has_work || !moescope_recording()) return;
  const std::vector<std::int64_t> bytes =
      bytes_to_peers(facts_.shape, facts_.wire, tiling_, of_step(round).direction, rows(round), rank, task);
  moescope_peer_traffic_t traffic = MOESCOPE_PEER_TRAFFIC_INIT;
  traffic.rank = rank;
  traffic.step = step(round);
  traffic.layer = of_step(round).layer;
  traffic.micro_batch = of_step(round).micro_batch;
  traffic.wave = wave(task);
  const PublicStage meaning = public_stage(task.stage, of_step(round).direction);
  traffic.stage = meaning.stage;
  traffic.pass = meaning.pass;
  traffic.peers = facts_.shape.ranks;
  traffic.bytes_to = bytes.data();
  moescope_peer_traffic(&traffic);
}

void Recording::write_timeline(const Timeline& timeline, const std::vector<double>& step_end_ns) const {
  if (!moescope_recording()) return;
  const std::uint32_t clock = moescope_clock("virtual", MOESCOPE_CLOCK_VIRTUAL);
  for (int rank = 0; rank < timeline.ranks(); ++rank) {
    // Names the rank's world; the spans below say their lane themselves.
    moescope_rank(rank, facts_.shape.ranks, lanes_.name(0).c_str(), MOESCOPE_TRACK_EXECUTION);
    double begin_ns = 0;
    for (std::size_t s = 0; s < step_end_ns.size(); ++s) {
      moescope_step_window(rank, static_cast<std::int64_t>(s), step_kind(), clock, std::llround(begin_ns),
                           std::llround(step_end_ns[s]));
      begin_ns = step_end_ns[s];
    }
  }
  for (int step = 0; step < timeline.rounds() / plan_.rounds(); ++step) {
    plan_.for_each([&](int of_step, Task task) {
      const int round = step * plan_.rounds() + of_step;
      for (int rank = 0; rank < timeline.ranks(); ++rank) {
        const Stamp& stamp = timeline.at(round, rank, task);
        moescope_span_t span = MOESCOPE_SPAN_INIT;
        span.clock = clock;
        span.start_ns = std::llround(stamp.start_ns);
        span.end_ns = std::llround(stamp.end_ns);
        span.lane = lanes_.name(stamp.lane).c_str();
        write(span, round, rank, task);
      }
    });
  }
}

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/metrics.h"

#include <cmath>
#include <vector>

namespace moescope {
namespace {

using Figure = Answer<double>;
constexpr Better kLow = Better::kLower, kHigh = Better::kHigher, kPlain = Better::kNeither;

const Figure kNotHere = Abstained{};  // has no meaning in this row

double per_step(const Analysis& a, std::size_t device, double total) {
  return total / a.selection.devices[device].per();
}
Figure hidden(const Exposure& e) {
  if (e.weighed_comm <= 0) return Abstained{"no communication"};
  return 1 - static_cast<double>(e.weighed_exposed) / static_cast<double>(e.weighed_comm);
}
Figure partly(std::size_t with, std::size_t of, const char* what, double value) {
  if (with > 0 && with == of) return value;
  if (with == 0) return Abstained{std::string("its spans carry no ") + what};
  return Abstained{std::to_string(with) + " of " + std::to_string(of) + " spans carry " + what};
}

std::string whole_graphs_reason(const Overlap& o) {
  const auto percent = static_cast<int>(100.0 * static_cast<double>(o.unknown) / static_cast<double>(o.busy) + 0.5);
  return std::to_string(percent) +
         " % of device time is CUDA graphs that were recorded as a whole: what ran in them is not known";
}

// One figure of a device's overlap.
template <Ns Overlap::*Member>
Figure rank_time(const Analysis& a, std::size_t, std::size_t device) {
  return per_step(a, device, static_cast<double>(a.ranks[device].*Member));
}
// Work that can't be looked into makes every statement about what it hides a guess.
constexpr double kFusedThatMatters = 0.01;  // of busy time
Figure opaque(const Analysis& a, std::size_t device, bool about_communication) {
  // Graphs recorded as a whole hide what ran in them: a class' time may then be longer by all of theirs. Up to a
  // hundredth of the busy time that is borne.
  const Overlap& o = a.ranks[device];
  if (o.unknown > o.busy / 100) return Abstained{whole_graphs_reason(o)};
  if (about_communication &&
      static_cast<double>(a.waiting[device].fused) > kFusedThatMatters * static_cast<double>(o.busy))
    return Abstained{
        "kernels that exchange tokens and compute at once ran: which part of their time is communication needs "
        "a trace from inside them"};
  return 0.0;
}
template <Ns Overlap::*Member, bool kAboutCommunication>
Figure seen_time(const Analysis& a, std::size_t row, std::size_t device) {
  const Figure unseen = opaque(a, device, kAboutCommunication);
  return unseen ? rank_time<Member>(a, row, device) : unseen;
}
Figure rank_hidden(const Analysis& a, std::size_t, std::size_t device) {
  const Overlap& o = a.ranks[device];
  return hidden({o.comm, o.exposed, o.weighed_comm, o.weighed_exposed});
}
template <Ns IdleCauses::*Cause>
Figure idle_cause(const Analysis& a, std::size_t, std::size_t device) {
  const Answer<IdleCauses>& idle = a.waiting[device].idle;
  if (!idle) return Abstained{idle.reason()};
  return per_step(a, device, static_cast<double>((*idle).*Cause));
}
Figure blocking(const Analysis& a, std::size_t, std::size_t device) {
  if (const Figure unseen = opaque(a, device, true); !unseen) return unseen;
  const Answer<Ns>& time = a.waiting[device].blocking;
  return time ? Figure(per_step(a, device, static_cast<double>(*time))) : Abstained{time.reason()};
}
template <Answer<Slowdown> CommContention::*Which>
Figure contention(const Analysis& a, std::size_t, std::size_t device) {
  const CommContention& c = a.waiting[device].contention;
  if (c.together == 0) return kNotHere;
  return c.*Which ? Figure((c.*Which)->ratio) : Abstained{(c.*Which).reason()};
}

// A figure of a row's cell on a device, where it has one.
template <class Table, class Function>
Figure cell(const Table& table, std::size_t row, std::size_t device, Function figure) {
  const auto& cell = table[row].cells[device];
  return cell ? Figure(figure(*cell)) : kNotHere;
}
#define MOESCOPE_CELL(TABLE, EXPRESSION)                                                                \
  [](const Analysis& a, std::size_t row, std::size_t d) -> Figure {                                     \
    return cell(a.TABLE, row, d, [&]([[maybe_unused]] const auto& c) -> Figure { return EXPRESSION; }); \
  }
#define MOESCOPE_FIELD(EXPRESSION)                                                                                     \
  []([[maybe_unused]] const Analysis& a, [[maybe_unused]] std::size_t row, [[maybe_unused]] std::size_t d) -> Figure { \
    return EXPRESSION;                                                                                                 \
  }

double ns(Ns value) {
  return static_cast<double>(value);
}
Figure stage_bytes(const StageCell& c, double value) {
  return c.communication ? partly(c.with_bytes, c.payload_spans, "bytes", value) : kNotHere;
}
Figure stage_flops(const StageCell& c, double value) {
  // Only some compute stages have FLOPs to speak of; where no span says any, there is nothing to abstain from.
  return c.communication || c.with_flops == 0 ? kNotHere : partly(c.with_flops, c.payload_spans, "FLOPs", value);
}
Figure rated(const CollectiveRateCell& c, double value) {
  return partly(c.with_bytes, c.count, "sizes", value);
}
template <bool kBest>
Figure bus_rate(const Analysis& a, std::size_t row, std::size_t device) {
  const CollectiveRateRow& collective = a.collectives[row];
  return cell(a.collectives, row, device, [&](const CollectiveRateCell& c) -> Figure {
    if (collective.group_size < 1) return Abstained{"the size of its group is not in the record"};
    const double rate = kBest ? c.best_bytes_per_ns : static_cast<double>(c.bytes) / ns(c.time_with_bytes);
    return rated(c, rate * bus_factor(collective.op, collective.group_size));
  });
}
Figure compute_over_comm(const LayerCell& c) {
  if (c.payload <= 0 || c.expert_compute <= 0) return Abstained{"needs both token transfer and expert compute"};
  return ns(c.expert_compute) / ns(c.payload);
}

const Metric kMetrics[] = {
    // coverage
    {"stage_attributed_fraction", "1", kHigh, Grain::kCoverage, false, "share of device work time whose stage is known",
     MOESCOPE_FIELD(a.coverage.stage_attributed_fraction)},
    {"records_dropped", "1", kLow, Grain::kCoverage, false, "records the recorder lost, by its own count",
     MOESCOPE_FIELD(a.coverage.records_dropped)},
    {"clock_residual_p95_ns", "ns", kLow, Grain::kCoverage, false,
     "95th percentile of what is left after fitting clocks to each other",
     MOESCOPE_FIELD(a.coverage.clock_residual_p95_ns)},
    // ranks
    {"span_ns", "ns", kLow, Grain::kRank, true, "last end less first start of the step's work",
     rank_time<&Overlap::span>},
    {"busy_ns", "ns", kPlain, Grain::kRank, true, "time with any work", rank_time<&Overlap::busy>},
    {"compute_ns", "ns", kPlain, Grain::kRank, true, "time with compute", seen_time<&Overlap::compute, false>},
    {"comm_ns", "ns", kLow, Grain::kRank, true, "time with communication, control included",
     seen_time<&Overlap::comm, true>},
    {"comm_control_ns", "ns", kLow, Grain::kRank, true,
     "communication time that moves no payload (notify, layout, barrier)", seen_time<&Overlap::comm_control, true>},
    {"exposed_comm_ns", "ns", kLow, Grain::kRank, true, "communication time under no compute",
     seen_time<&Overlap::exposed, true>},
    {"hidden_fraction", "1", kHigh, Grain::kRank, true, "1 - exposed / comm", rank_hidden},
    {"idle_ns", "ns", kLow, Grain::kRank, true, "span less busy", rank_time<&Overlap::idle>},
    {"idle_by_cause_ns.launch_starved", "ns", kLow, Grain::kRank, true,
     "idle until work was launched that had not been when the gap began", idle_cause<&IdleCauses::launch_starved>},
    {"idle_by_cause_ns.waiting_comm", "ns", kLow, Grain::kRank, true,
     "idle while a transfer launched in two halves was in flight", idle_cause<&IdleCauses::waiting_comm>},
    {"idle_by_cause_ns.dependency", "ns", kLow, Grain::kRank, true,
     "idle although the next work was launched: it waited for other work, an event or a flag",
     idle_cause<&IdleCauses::dependency>},
    {"idle_by_cause_ns.other", "ns", kLow, Grain::kRank, true, "idle before work whose launch is not in the record",
     idle_cause<&IdleCauses::other>},
    {"blocking_comm_ns", "ns", kLow, Grain::kRank, true, "the part of exposed time that compute really waited for",
     blocking},
    {"in_flight_ns", "ns", kPlain, Grain::kRank, true, "of exchanges launched in two halves: send end to receive start",
     MOESCOPE_FIELD(a.waiting[d].split.found ? Figure(per_step(a, d, ns(a.waiting[d].split.in_flight.measure())))
                                             : kNotHere)},
    {"in_flight_hidden_ns", "ns", kHigh, Grain::kRank, true, "of that, under compute",
     MOESCOPE_FIELD(a.waiting[d].split.found ? Figure(per_step(a, d, ns(a.waiting[d].split.under_compute)))
                                             : kNotHere)},
    {"exchange_with_reduction_ns", "ns", kLow, Grain::kRank, true,
     "token exchange and all-reduce, reduce-scatter or all-gather at once",
     MOESCOPE_FIELD(a.waiting[d].contention.together > 0 ? Figure(per_step(a, d, ns(a.waiting[d].contention.together)))
                                                         : kNotHere)},
    {"exchange_slowdown", "1", kLow, Grain::kRank, true,
     "token exchange: median time under a reduction / alone, of the same work", contention<&CommContention::exchange>},
    {"reduction_slowdown", "1", kLow, Grain::kRank, true,
     "reductions: median time under a token exchange / alone, of the same work",
     contention<&CommContention::reduction>},
    // stages
    {"count", "1", kPlain, Grain::kStage, true, "spans of the stage",
     MOESCOPE_CELL(stages, per_step(a, d, static_cast<double>(c.count)))},
    {"time_ns", "ns", kLow, Grain::kStage, true, "time with the stage",
     MOESCOPE_CELL(stages, per_step(a, d, ns(c.time)))},
    {"exposed_ns", "ns", kLow, Grain::kStage, true, "of that, under no compute (communication only)",
     MOESCOPE_CELL(stages, c.communication ? Figure(per_step(a, d, ns(c.exposure.exposed))) : kNotHere)},
    {"hidden_fraction", "1", kHigh, Grain::kStage, true, "1 - exposed / time (communication only)",
     MOESCOPE_CELL(stages, c.communication ? hidden(c.exposure) : kNotHere)},
    {"bytes", "B", kPlain, Grain::kStage, true, "bytes on the wire (communication only)",
     MOESCOPE_CELL(stages, stage_bytes(c, per_step(a, d, static_cast<double>(c.bytes))))},
    {"flops", "FLOP", kPlain, Grain::kStage, true, "floating-point operations, multiply-add = 2",
     MOESCOPE_CELL(stages, stage_flops(c, per_step(a, d, c.flops)))},
    {"wire_bw_gb_s", "GB/s", kHigh, Grain::kStage, true, "bytes / time, 1e9 bytes a second, one direction",
     MOESCOPE_CELL(stages, stage_bytes(c, static_cast<double>(c.bytes) / ns(c.time)))},
    {"tflops", "TFLOP/s", kHigh, Grain::kStage, true, "flops / time",
     MOESCOPE_CELL(stages, c.flops > 0 ? stage_flops(c, c.flops / ns(c.time) / 1e3) : kNotHere)},
    // annotations
    {"count", "1", kPlain, Grain::kAnnotation, true, "communication spans launched in the range",
     MOESCOPE_CELL(annotations, per_step(a, d, static_cast<double>(c.count)))},
    {"comm_ns", "ns", kLow, Grain::kAnnotation, true, "communication launched in the range",
     MOESCOPE_CELL(annotations, per_step(a, d, ns(c.exposure.comm)))},
    {"exposed_comm_ns", "ns", kLow, Grain::kAnnotation, true, "of that, under no compute",
     MOESCOPE_CELL(annotations, per_step(a, d, ns(c.exposure.exposed)))},
    {"hidden_fraction", "1", kHigh, Grain::kAnnotation, true, "1 - exposed / comm",
     MOESCOPE_CELL(annotations, hidden(c.exposure))},
    // passes
    {"comm_ns", "ns", kLow, Grain::kPass, true, "communication of the pass",
     MOESCOPE_CELL(comm_rows.passes, per_step(a, d, ns(c.exposure.comm)))},
    {"exposed_comm_ns", "ns", kLow, Grain::kPass, true, "of that, under no compute",
     MOESCOPE_CELL(comm_rows.passes, per_step(a, d, ns(c.exposure.exposed)))},
    {"hidden_fraction", "1", kHigh, Grain::kPass, true, "1 - exposed / comm",
     MOESCOPE_CELL(comm_rows.passes, c.exposure.weighed_comm > 0 ? hidden(c.exposure) : kNotHere)},
    {"expert_compute_ns", "ns", kLow, Grain::kPass, true, "time with l1, act or l2",
     MOESCOPE_CELL(comm_rows.passes, per_step(a, d, ns(c.expert_compute)))},
    // steps
    {"step_ns", "ns", kLow, Grain::kStep, true, "length of the step's window on its clock",
     MOESCOPE_CELL(steps,
                   c.duration ? Figure(ns(*c.duration)) : Figure(Abstained{"the step's bounds were not recorded"}))},
    {"compute_ns", "ns", kPlain, Grain::kStep, true, "time with compute", MOESCOPE_CELL(steps, ns(c.compute))},
    {"comm_ns", "ns", kLow, Grain::kStep, true, "time with communication", MOESCOPE_CELL(steps, ns(c.exposure.comm))},
    {"exposed_comm_ns", "ns", kLow, Grain::kStep, true, "communication time under no compute",
     MOESCOPE_CELL(steps, ns(c.exposure.exposed))},
    {"hidden_fraction", "1", kHigh, Grain::kStep, true, "1 - exposed / comm", MOESCOPE_CELL(steps, hidden(c.exposure))},
    // layers
    {"comm_ns", "ns", kLow, Grain::kLayer, true, "communication marked with the layer",
     MOESCOPE_CELL(layers, per_step(a, d, ns(c.exposure.comm)))},
    {"exposed_comm_ns", "ns", kLow, Grain::kLayer, true, "of that, under no compute",
     MOESCOPE_CELL(layers, per_step(a, d, ns(c.exposure.exposed)))},
    {"hidden_fraction", "1", kHigh, Grain::kLayer, true, "1 - exposed / comm",
     MOESCOPE_CELL(layers, hidden(c.exposure))},
    {"expert_compute_ns", "ns", kLow, Grain::kLayer, true, "time with l1, act or l2",
     MOESCOPE_CELL(layers, per_step(a, d, ns(c.expert_compute)))},
    {"compute_over_comm", "1", kHigh, Grain::kLayer, true, "expert compute time / token transfer time",
     MOESCOPE_CELL(layers, compute_over_comm(c))},
    // waves
    {"count_per_layer", "1", kPlain, Grain::kWaves, false, "waves in a layer, median",
     MOESCOPE_FIELD(a.waves.count_per_layer)},
    {"depth", "1", kPlain, Grain::kWaves, false, "most waves in flight at once", MOESCOPE_FIELD(a.waves.depth)},
    {"fill_ns", "ns", kLow, Grain::kWaves, true, "layer start to its first expert compute, median over layers",
     MOESCOPE_FIELD(a.waves.fill_ns[d])},
    {"drain_ns", "ns", kLow, Grain::kWaves, true, "last expert compute to the layer's end, median over layers",
     MOESCOPE_FIELD(a.waves.drain_ns[d])},
    // wave by wave
    {"comm_ns", "ns", kLow, Grain::kWave, true, "communication marked with the wave",
     MOESCOPE_CELL(comm_rows.waves, per_step(a, d, ns(c.exposure.comm)))},
    {"exposed_comm_ns", "ns", kLow, Grain::kWave, true, "of that, under no compute",
     MOESCOPE_CELL(comm_rows.waves, per_step(a, d, ns(c.exposure.exposed)))},
    {"hidden_fraction", "1", kHigh, Grain::kWave, true, "1 - exposed / comm",
     MOESCOPE_CELL(comm_rows.waves, hidden(c.exposure))},
    {"expert_compute_ns", "ns", kLow, Grain::kWave, true, "time with l1, act or l2",
     MOESCOPE_CELL(comm_rows.waves, per_step(a, d, ns(c.expert_compute)))},
    // arrival, by stage
    {"count", "1", kPlain, Grain::kArrival, true, "communication matched with another rank's",
     MOESCOPE_CELL(arrivals.rows, per_step(a, d, static_cast<double>(c.count)))},
    {"arrival_wait_ns", "ns", kLow, Grain::kArrival, true, "of its time, until the last rank had come",
     MOESCOPE_CELL(arrivals.rows, per_step(a, d, ns(c.wait)))},
    {"transfer_ns", "ns", kLow, Grain::kArrival, true, "of its time, what the quickest participant took: the transfer",
     MOESCOPE_CELL(arrivals.rows, per_step(a, d, ns(c.transfer)))},
    {"arrived_last", "1", kLow, Grain::kArrival, true, "share of them where the rank was the last to come",
     MOESCOPE_CELL(arrivals.rows, static_cast<double>(c.last) / static_cast<double>(c.count))},
    {"delay_ns", "ns", kLow, Grain::kArrival, true, "longest wait of another where the rank was the last to come",
     MOESCOPE_CELL(arrivals.rows, per_step(a, d, ns(c.caused)))},
    // collectives, by operation and group size
    {"count", "1", kPlain, Grain::kCollective, true, "calls",
     MOESCOPE_CELL(collectives, per_step(a, d, static_cast<double>(c.count)))},
    {"time_ns", "ns", kPlain, Grain::kCollective, true, "their times summed, waiting for other ranks included",
     MOESCOPE_CELL(collectives, per_step(a, d, ns(c.time)))},
    {"logical_bytes", "B", kPlain, Grain::kCollective, true, "of the larger buffer of each call, local parts included",
     MOESCOPE_CELL(collectives, rated(c, per_step(a, d, static_cast<double>(c.bytes))))},
    {"algbw_gb_s", "GB/s", kPlain, Grain::kCollective, true, "logical bytes / time",
     MOESCOPE_CELL(collectives, rated(c, static_cast<double>(c.bytes) / ns(c.time_with_bytes)))},
    {"busbw_gb_s", "GB/s", kPlain, Grain::kCollective, true, "algbw x nccl-tests' factor of operation and group size",
     bus_rate<false>},
    {"busbw_best_gb_s", "GB/s", kPlain, Grain::kCollective, true, "the same of the fastest call, which waited least",
     bus_rate<true>},
    // router
    {"ranks_max_over_mean", "1", kLow, Grain::kRouter, false, "tokens of the busiest rank / mean, mean over layers",
     MOESCOPE_FIELD(a.router.ranks_max_over_mean)},
    {"balancedness_sglang", "1", kHigh, Grain::kRouter, false,
     "mean over layers of rank loads' (mean + 1e-5) / (max + 1e-5)", MOESCOPE_FIELD(a.router.balancedness_sglang)},
    {"balancedness_vllm", "1", kHigh, Grain::kRouter, false, "rank loads' sum of means / sum of maxima over layers",
     MOESCOPE_FIELD(a.router.balancedness_vllm)},
    {"dropped_fraction", "1", kLow, Grain::kRouter, false, "token-expert pairs dropped / assigned",
     MOESCOPE_FIELD(a.router.dropped_fraction)},
    {"straggler_ns", "ns", kLow, Grain::kRouter, false, "over layers: slowest rank's expert compute less the mean",
     MOESCOPE_FIELD(a.router.straggler_ns)},
    // router, layer by layer
    {"max_over_mean", "1", kLow, Grain::kRouterLayer, false, "tokens of the busiest expert / mean",
     MOESCOPE_FIELD(a.router.layers[row].max_over_mean)},
    {"balancedness_sglang", "1", kHigh, Grain::kRouterLayer, false, "as above, of the layer",
     MOESCOPE_FIELD(a.router.layers[row].balancedness_sglang)},
    {"balancedness_vllm", "1", kHigh, Grain::kRouterLayer, false, "as above, of the layer",
     MOESCOPE_FIELD(a.router.layers[row].balancedness_vllm)},
    {"cv", "1", kLow, Grain::kRouterLayer, false, "standard deviation / mean of tokens per expert",
     MOESCOPE_FIELD(a.router.layers[row].cv)},
    {"gini", "1", kLow, Grain::kRouterLayer, false, "Gini coefficient of tokens per expert",
     MOESCOPE_FIELD(a.router.layers[row].gini)},
    {"entropy_normalised", "1", kHigh, Grain::kRouterLayer, false, "entropy of tokens per expert / log of their number",
     MOESCOPE_FIELD(a.router.layers[row].entropy_normalised)},
    {"dead_experts", "1", kLow, Grain::kRouterLayer, false, "experts without a token in the whole scope",
     MOESCOPE_FIELD(a.router.layers[row].dead_experts)},
    {"dropped_fraction", "1", kLow, Grain::kRouterLayer, false, "token-expert pairs dropped / assigned",
     MOESCOPE_FIELD(a.router.layers[row].dropped_fraction)},
    {"padding_fraction", "1", kLow, Grain::kRouterLayer, false, "padded rows / rows computed",
     MOESCOPE_FIELD(Abstained{"padded rows are not in the record"})},
    {"aux_loss", "1", kLow, Grain::kRouterLayer, false, "E times the sum of share of assignments x mean probability",
     MOESCOPE_FIELD(Abstained{"router probabilities are not in the record"})},
    // bound
    {"flops_per_byte_bound", "FLOP/B", kHigh, Grain::kBound, false,
     "2 m d / (f (b_d + b_c)): C/B up to which communication can hide",
     MOESCOPE_FIELD(a.bounds[row].flops_per_byte_bound)},
    {"flops_per_byte_measured", "FLOP/B", kHigh, Grain::kBound, false,
     "FLOPs of l1 and l2 / wire bytes in the busier direction", MOESCOPE_FIELD(a.bounds[row].flops_per_byte_measured)},
    {"compute_to_bandwidth_peak", "FLOP/B", kPlain, Grain::kBound, false, "peak FLOP/s / peak one-way link rate",
     MOESCOPE_FIELD(a.bounds[row].compute_to_bandwidth_peak)},
    {"compute_to_bandwidth_achieved", "FLOP/B", kPlain, Grain::kBound, false,
     "the same of the rates reached while working", MOESCOPE_FIELD(a.bounds[row].compute_to_bandwidth_achieved)},
    {"headroom_peak", "1", kHigh, Grain::kBound, false, "bound / peak C/B; above 1 communication can hide",
     MOESCOPE_FIELD(a.bounds[row].headroom_peak)},
    {"headroom_achieved", "1", kHigh, Grain::kBound, false,
     "expert compute time / token transfer time = measured FLOPs a byte / achieved C/B",
     MOESCOPE_FIELD(a.bounds[row].headroom_achieved)},
    {"overlap_ceiling", "1", kHigh, Grain::kBound, false,
     "min(1, headroom): the hidden share that expert compute alone can reach",
     MOESCOPE_FIELD(a.bounds[row].overlap_ceiling)},
    {"min_exposed_ns", "ns", kLow, Grain::kBound, true, "over layers: max(0, token transfer - expert compute)",
     MOESCOPE_FIELD(a.bounds[row].min_exposed_ns[d])},
};
#undef MOESCOPE_CELL
#undef MOESCOPE_FIELD

}  // namespace

std::string_view section(Grain grain) {
  switch (grain) {
    case Grain::kCoverage:
      return "coverage";
    case Grain::kRank:
      return "ranks";
    case Grain::kStage:
      return "stages";
    case Grain::kAnnotation:
      return "annotations";
    case Grain::kPass:
      return "passes";
    case Grain::kStep:
      return "steps";
    case Grain::kLayer:
      return "layers";
    case Grain::kWaves:
      return "waves";
    case Grain::kWave:
      return "by_wave";
    case Grain::kArrival:
      return "arrival";
    case Grain::kCollective:
      return "collectives";
    case Grain::kRouter:
      return "router";
    case Grain::kRouterLayer:
      return "router.layers";
    case Grain::kBound:
      return "bounds";
  }
  return "?";
}

std::size_t row_count(const Analysis& analysis, Grain grain) {
  switch (grain) {
    case Grain::kRank:
      return analysis.ranks.size();
    case Grain::kStage:
      return analysis.stages.size();
    case Grain::kAnnotation:
      return analysis.annotations.size();
    case Grain::kPass:
      return analysis.comm_rows.passes.size();
    case Grain::kStep:
      return analysis.steps.size();
    case Grain::kLayer:
      return analysis.layers.size();
    case Grain::kWave:
      return analysis.comm_rows.waves.size();
    case Grain::kArrival:
      return analysis.arrivals.rows.size();
    case Grain::kCollective:
      return analysis.collectives.size();
    case Grain::kRouterLayer:
      return analysis.router.layers.size();
    case Grain::kBound:
      return analysis.bounds.size();
    case Grain::kCoverage:
    case Grain::kWaves:
    case Grain::kRouter:
      return 1;
  }
  return 0;
}

namespace {
bool needs_other_work(std::string_view id) {
  for (const std::string_view begin : {"exposed", "hidden", "idle", "compute", "blocking", "busy"})
    if (id.starts_with(begin)) return true;
  return false;
}
}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

const Metric* find_metric(Grain grain, std::string_view id) {
  for (const Metric& metric : kMetrics)
    if (metric.grain == grain && metric.id == id) return &metric;
  return nullptr;
}

std::string qualified_id(const Metric& metric) {
  return std::string(section(metric.grain)) + "." + std::string(metric.id);
}

Answer<double> evaluate(const Metric& metric, const Analysis& analysis, std::size_t row, std::size_t device) {
  // What hides what is unknown in every table where it is unknown of the device.
  if (metric.per_device && (metric.id.starts_with("exposed") || metric.id.starts_with("hidden")))
    if (Figure unseen = opaque(analysis, device, true); !unseen) return unseen;
  if (metric.per_device && analysis.ranks[device].communication_alone && needs_other_work(metric.id))
    return Abstained{"the record holds NCCL's operations alone: what ran beside them is not in it"};
  Answer<double> answer = metric.evaluate(analysis, row, device);
  if (answer && !std::isfinite(*answer)) return Abstained{"the figure is not finite: a time of zero divides it"};
  return answer;
}

Answer<RankFigure> evaluate_over_ranks(const Metric& metric, const Analysis& analysis, std::size_t row) {
  std::vector<RankValue> values;
  std::string reason;
  for (std::size_t device = 0; device < analysis.selection.devices.size(); ++device) {
    const Answer<double> answer = evaluate(metric, analysis, row, device);
    if (answer)
      values.push_back({analysis.selection.devices[device].device.rank, *answer});
    else if (reason.empty())
      reason = answer.reason();
  }
  if (values.empty()) return Abstained{reason};
  return over_ranks(values, metric.better);
}

}  // namespace moescope

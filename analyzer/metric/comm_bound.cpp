// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/comm_bound.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/metric/rank_figure.h"

namespace moescope {
namespace {

using Cell = BoundSums::Cell;
using CellKey = std::tuple<Pass, std::size_t, StepId>;  // with the device

std::map<CellKey, const Cell*> gather(const std::vector<BoundSums>& devices) {
  std::map<CellKey, const Cell*> cells;
  for (std::size_t device = 0; device < devices.size(); ++device)
    for (const auto& [key, cell] : devices[device].cells()) cells[{key.first, device, key.second}] = &cell;
  return cells;
}

struct Directions {
  double out = 0, in = 0;
};
using TrafficKey = std::tuple<RankId, std::int64_t, Pass>;  // rank, step's number, pass

std::map<TrafficKey, Directions> traffic(const Trace& trace) {
  std::map<TrafficKey, Directions> table;
  for (const PeerTraffic& one : trace.peer_traffic) {
    if (!kTokenStages.contains(one.stage) || one.source == one.destination) continue;
    const std::int64_t step = step_number(trace, one.source, one.step);
    table[{one.source, step, one.pass}].out += static_cast<double>(one.bytes);
    table[{one.destination, step, one.pass}].in += static_cast<double>(one.bytes);
  }
  return table;
}

std::size_t ep_size(const Trace& trace) {
  std::size_t ranks = 0;
  for (const CommGroup& group : trace.comm_groups)
    if (group.kind == GroupKind::kEP) ranks = std::max(ranks, group.ranks.size());
  if (ranks > 0) return ranks;
  for (const Rank& rank : trace.ranks) ranks = std::max(ranks, static_cast<std::size_t>(std::max(rank.world_size, 0)));
  return ranks;
}

// The share of pairs that leave their rank, and where that is known from.
std::pair<double, std::string> remote_fraction(const Trace& trace) {
  double local = 0, remote = 0;
  for (const PeerTraffic& one : trace.peer_traffic)
    if (one.stage == Stage::kDISPATCH)
      (one.source == one.destination ? local : remote) += static_cast<double>(one.bytes);
  if (local > 0 && remote > 0) return {remote / (local + remote), "measured from peer traffic"};
  if (const std::size_t ranks = ep_size(trace); ranks > 1)
    return {1 - 1 / static_cast<double>(ranks), "uniform routing over " + std::to_string(ranks) + " ranks"};
  return {1, "all pairs taken as remote: the number of ranks is not in the record"};
}

void theoretical(const Trace& trace, CommBound& bound) {
  const auto abstain = [&bound](const std::string& reason) { bound.flops_per_byte_bound = Abstained{reason}; };
  if (bound.pass != Pass::kFORWARD && bound.pass != Pass::kUNKNOWN)
    return abstain("the wire formats of the " + std::string(name(bound.pass)) + " pass are not in the record");
  if (!trace.model) return abstain("the model's shape is not in the record: annotate it with moescope_model");
  const Model& model = *trace.model;
  if (model.intermediate <= 0) return abstain("the expert's intermediate width is not in the record");
  if (model.gated < 0) return abstain("whether experts are gated is not in the record");
  if (model.dispatch_bytes_per_element <= 0 || model.combine_bytes_per_element <= 0)
    return abstain("the wire formats of dispatch and combine are not in the record");
  BoundShape shape;
  shape.matrices = model.gated == 1 ? 3 : 2;
  shape.intermediate = model.intermediate;
  shape.dispatch_bytes = model.dispatch_bytes_per_element;
  shape.combine_bytes = model.combine_bytes_per_element;
  std::tie(shape.remote_fraction, bound.remote_fraction_source) = remote_fraction(trace);
  bound.flops_per_byte_bound = flops_per_byte_bound(shape);
}

void hardware(const Trace& trace, const Selection& selection, CommBound& bound) {
  std::vector<double> ratios;
  std::set<LinkKind> kinds;
  for (const DeviceRows& chosen : selection.devices)
    for (const Device& device : trace.devices) {
      if (device.key != chosen.device) continue;
      if (device.link_kind != LinkKind::kUNKNOWN) kinds.insert(device.link_kind);
      if (device.peak_flops > 0 && device.link_gb_s > 0) ratios.push_back(device.peak_flops / (device.link_gb_s * 1e9));
    }
  if (ratios.empty())
    bound.compute_to_bandwidth_peak =
        Abstained{"peak FLOP/s and link rate are not in the record: annotate them with moescope_device"};
  else
    bound.compute_to_bandwidth_peak = median(std::move(ratios));
  if (kinds.size() == 1)
    bound.tier = std::string(name(*kinds.begin()));
  else
    bound.tier = Abstained{kinds.empty() ? "no link is named in the record"
                                         : "the record does not say which bytes crossed which kind of link"};
}

void achieved(const Trace& trace, const Selection& selection, const std::map<CellKey, const Cell*>& cells,
              const std::map<TrafficKey, Directions>& wire, CommBound& bound) {
  std::vector<double> ratios, intensities, headrooms;
  bool flops_missing = false, bytes_missing = false;
  for (const auto& [key, cell] : cells) {
    const auto& [pass, device, step] = key;
    if (pass != bound.pass) continue;
    const double t_comp = static_cast<double>(cell->expert.length());
    const double t_comm = static_cast<double>(cell->payload.length());
    if (t_comp <= 0 || t_comm <= 0) continue;
    headrooms.push_back(t_comp / t_comm);
    const RankId rank = selection.devices[device].device.rank;
    const auto found = wire.find({rank, step_number(trace, rank, step), pass});
    double bytes = 0;
    if (found != wire.end())
      bytes = std::max(found->second.in, found->second.out);
    else if (cell->bytes.complete())
      bytes = cell->bytes.total;
    flops_missing = flops_missing || !cell->flops.complete();
    bytes_missing = bytes_missing || bytes <= 0;
    if (!cell->flops.complete() || bytes <= 0) continue;
    intensities.push_back(cell->flops.total / bytes);
    ratios.push_back(cell->flops.total / t_comp / (bytes / t_comm));
  }
  const auto answer = [](std::vector<double>& values, const std::string& reason) -> Answer<double> {
    if (values.empty()) return Abstained{reason};
    return median(values);
  };
  const std::string no_time = "needs both token transfer and expert compute in one step of one rank";
  const std::string no_quantity = flops_missing   ? "FLOPs of the expert stages are not in the record"
                                  : bytes_missing ? "bytes of dispatch and combine are not in the record"
                                                  : no_time;
  bound.headroom_achieved = answer(headrooms, no_time);
  bound.flops_per_byte_measured = answer(intensities, no_quantity);
  bound.compute_to_bandwidth_achieved = answer(ratios, no_quantity);
}

}  // namespace

double flops_per_byte_bound(const BoundShape& shape) {
  const double bytes = shape.dispatch_copies * shape.dispatch_bytes + shape.combine_copies * shape.combine_bytes;
  return shape.flops_factor * 2 * shape.matrices * shape.intermediate / (shape.remote_fraction * bytes);
}

double shared_copies(int experts, int ranks, int top_k) {
  // A rank gets no copy where all k distinct experts are among the others': a draw without replacement.
  const int others = experts - experts / ranks;
  double none = 1;
  for (int i = 0; i < top_k; ++i) none *= static_cast<double>(others - i) / static_cast<double>(experts - i);
  return ranks * (1 - none) / top_k;
}

std::vector<CommBound> comm_bounds(const Trace& trace, const Selection& selection,
                                   const std::vector<BoundSums>& devices, const LayerInstances& instances) {
  const auto cells = gather(devices);
  const auto wire = traffic(trace);
  std::set<Pass> passes;
  for (const auto& [key, cell] : cells) passes.insert(std::get<0>(key));
  bool measured_clock = false;
  for (const DeviceRows& device : selection.devices)
    measured_clock =
        measured_clock || trace.clocks[static_cast<std::size_t>(device.clock.value)].kind != ClockKind::kVIRTUAL;
  std::vector<CommBound> bounds;
  for (const Pass pass : passes) {
    CommBound bound;
    bound.pass = pass;
    bound.includes_wait = measured_clock;
    theoretical(trace, bound);
    hardware(trace, selection, bound);
    achieved(trace, selection, cells, wire, bound);
    if (!bound.flops_per_byte_bound)
      bound.headroom_peak = Abstained{bound.flops_per_byte_bound.reason()};
    else if (!bound.compute_to_bandwidth_peak)
      bound.headroom_peak = Abstained{bound.compute_to_bandwidth_peak.reason()};
    else
      bound.headroom_peak = *bound.flops_per_byte_bound / *bound.compute_to_bandwidth_peak;
    const Answer<double>& basis = bound.headroom_achieved ? bound.headroom_achieved : bound.headroom_peak;
    if (basis) {
      bound.overlap_ceiling = std::min(1.0, *basis);
      bound.overlap_ceiling_basis = bound.headroom_achieved ? "achieved" : "peak";
    } else {
      bound.overlap_ceiling = Abstained{basis.reason()};
    }
    std::vector<double> least(selection.devices.size(), 0);
    std::vector<bool> any(selection.devices.size(), false);
    for (const auto& device : instances)
      for (const LayerInstance& instance : device) {
        if (instance.pass != pass || instance.payload == 0) continue;
        any[instance.device] = true;
        least[instance.device] += static_cast<double>(std::max<Ns>(0, instance.payload - instance.expert_compute));
      }
    for (std::size_t device = 0; device < least.size(); ++device) {
      if (any[device])
        bound.min_exposed_ns.emplace_back(least[device] / selection.devices[device].per());
      else
        bound.min_exposed_ns.emplace_back(Abstained{"no dispatch or combine is marked with its layer"});
    }
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

}  // namespace moescope

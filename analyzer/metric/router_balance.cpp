// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/router_balance.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "analyzer/metric/load_balance.h"

namespace moescope {
namespace {

using InstanceKey = std::tuple<LayerId, std::int64_t, MicroBatchId>;  // layer, step's number, micro-batch

struct Loads {
  std::map<ExpertId, double> experts;  // kept pairs
  std::map<RankId, double> ranks;      // kept pairs by the rank that computes them; received side only
  double assigned = 0, kept = 0;
};

// Which ranks hold an expert's copies, where a placement was recorded.
class Placement {
 public:
  // layers: those with tokens. A placement counts the layers that have experts only, while a router's counts number
  // all: where the two have different numbers but are as many, they are taken in order.
  Placement(const Trace& trace, const std::set<LayerId>& layers) {
    std::set<std::int32_t> placed;
    for (const ExpertPlacement& one : trace.expert_placements)
      if (one.rank.valid()) {
        holders_[{one.layer, one.logical}].push_back(one.rank);
        if (one.layer >= 0) placed.insert(one.layer);
      }
    std::set<std::int32_t> counted;
    for (const LayerId layer : layers) counted.insert(layer.value);
    in_order_ = placed.size() == counted.size() && placed != counted;
    if (!in_order_) return;
    auto one = placed.begin();
    for (const std::int32_t layer : counted) placed_as_[layer] = *one++;
  }
  bool in_order() const { return in_order_; }
  // Those of a layer, else of every layer; empty where nobody said.
  const std::vector<RankId>& holders(LayerId layer, ExpertId expert) const {
    static const std::vector<RankId> kNone;
    const auto other = placed_as_.find(layer.value);
    for (const std::int32_t of : {other != placed_as_.end() ? other->second : layer.value, -1})
      if (const auto found = holders_.find({of, expert.value}); found != holders_.end()) return found->second;
    return kNone;
  }

 private:
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<RankId>> holders_;  // by layer and logical expert
  std::map<std::int32_t, std::int32_t> placed_as_;                                // a count's layer, the placement's
  bool in_order_ = false;
};

struct Tally {
  std::map<InstanceKey, Loads> instances;
  std::set<RankId> ranks;
  std::int32_t experts = 0;
  bool received = false;
  bool rankless = false;  // some counts are of all ranks together, and no placement says whose they are
  bool placement_in_order = false;
};

// One side only, or pairs would count twice: what experts received where anybody recorded that, else what was sent.
Tally tally(const Trace& trace, const Scope& scope) {
  Tally result;
  result.received = std::any_of(trace.router_loads.begin(), trace.router_loads.end(),
                                [](const RouterLoad& load) { return load.side == Side::kRECEIVED; });
  if (trace.model && trace.model->experts > 0) result.experts = trace.model->experts;
  std::set<LayerId> layers;
  for (const RouterLoad& load : trace.router_loads)
    if ((load.side == Side::kRECEIVED) == result.received && load.kept > 0) layers.insert(load.layer);
  const Placement placement(trace, layers);
  for (const RouterLoad& load : trace.router_loads) {
    if ((load.side == Side::kRECEIVED) != result.received) continue;
    const std::int64_t step = step_number(trace, load.rank, load.step);
    if (!scope.layers.all() && !(load.layer.valid() && scope.layers.contains(load.layer.value))) continue;
    if (!scope.steps.all() && !(load.step.valid() && scope.steps.contains(step))) continue;
    const Step* known = find_step(trace, load.rank, load.step);
    if (known != nullptr && !known->ended) continue;
    Loads& loads = result.instances[{load.layer, step, load.micro_batch}];
    loads.experts[load.expert] += static_cast<double>(load.kept);
    loads.assigned += static_cast<double>(load.assigned);
    loads.kept += static_cast<double>(load.kept);
    if (load.rank.valid()) {
      if (result.received) loads.ranks[load.rank] += static_cast<double>(load.kept);
      result.ranks.insert(load.rank);
    } else if (load.kept > 0) {
      result.placement_in_order = placement.in_order();
      // Copies of an expert are taken to share its tokens evenly.
      const std::vector<RankId>& holders = placement.holders(load.layer, load.expert);
      result.rankless = result.rankless || holders.empty();
      for (const RankId rank : holders) {
        loads.ranks[rank] += static_cast<double>(load.kept) / static_cast<double>(holders.size());
        result.ranks.insert(rank);
      }
    }
    result.experts = std::max(result.experts, load.expert.value + 1);
  }
  return result;
}

std::size_t expected_ranks(const Trace& trace) {
  std::set<std::int32_t> members;
  for (const CommGroup& group : trace.comm_groups)
    if (group.kind == GroupKind::kEP) members.insert(group.ranks.begin(), group.ranks.end());
  if (!members.empty()) return members.size();
  std::int32_t world = 0;
  for (const Rank& rank : trace.ranks) world = std::max(world, rank.world_size);
  return static_cast<std::size_t>(std::max(world, 0));
}

struct Mean {
  double total = 0, count = 0;
  void add(double value) { total += value, count += 1; }
  Answer<double> answer(const char* otherwise) const {
    if (count == 0) return Abstained{otherwise};
    return total / count;
  }
};

// A layer instance's expert compute on one rank.
struct ExpertTime {
  std::int64_t step;  // the user's number
  LayerId layer;
  MicroBatchId micro_batch;
  Pass pass;
  double time;
  auto key() const { return std::tie(step, layer, micro_batch, pass); }
};

// Entries come device by device, each in order: the runs are merged two by two.
void merge_runs(std::vector<ExpertTime>& entries, std::vector<std::size_t> runs) {
  const auto before = [](const ExpertTime& a, const ExpertTime& b) { return a.key() < b.key(); };
  const auto at = [&](std::size_t i) { return entries.begin() + static_cast<std::ptrdiff_t>(i); };
  runs.push_back(entries.size());
  for (std::size_t run = 0; run + 1 < runs.size(); ++run)
    if (!std::is_sorted(at(runs[run]), at(runs[run + 1]), before)) std::sort(at(runs[run]), at(runs[run + 1]), before);
  while (runs.size() > 2) {
    std::vector<std::size_t> longer;
    for (std::size_t run = 0; run + 1 < runs.size(); run += 2) {
      longer.push_back(runs[run]);
      if (run + 2 < runs.size()) std::inplace_merge(at(runs[run]), at(runs[run + 1]), at(runs[run + 2]), before);
    }
    longer.push_back(entries.size());
    runs = std::move(longer);
  }
}

Answer<double> straggler(const Trace& trace, const Selection& selection, const LayerInstances& instances) {
  std::vector<ExpertTime> entries;
  std::vector<std::size_t> runs;
  std::size_t all = 0;
  for (const auto& device : instances) all += device.size();
  entries.reserve(all);
  for (std::size_t device = 0; device < instances.size(); ++device) {
    const RankId rank = selection.devices[device].device.rank;
    const LayerInstance* last = nullptr;
    std::int64_t step = -1;
    runs.push_back(entries.size());
    for (const LayerInstance& one : instances[device]) {
      if (last == nullptr || last->step != one.step) step = step_number(trace, rank, one.step);
      last = &one;
      entries.push_back({step, one.layer, one.micro_batch, one.pass, static_cast<double>(one.expert_compute)});
    }
  }
  merge_runs(entries, std::move(runs));
  std::size_t steps = 0;
  std::optional<std::int64_t> counted;  // the last step that counts
  double total = 0;
  for (std::size_t from = 0, to = 0; from < entries.size(); from = to) {
    double sum = 0, most = 0;
    for (; to < entries.size() && entries[to].key() == entries[from].key(); ++to)
      sum += entries[to].time, most = std::max(most, entries[to].time);
    if (to - from < 2) continue;
    if (counted != entries[from].step) ++steps;
    counted = entries[from].step;
    total += most - sum / static_cast<double>(to - from);
  }
  if (!counted) return Abstained{"needs expert compute marked with its layer on two or more ranks"};
  return total / (selection.per_step ? static_cast<double>(steps) : 1.0);
}

}  // namespace

RouterBalance router_balance(const Trace& trace, const Selection& selection, const LayerInstances& instances) {
  RouterBalance result;
  result.synthetic = trace.model && trace.model->synthetic_routing == 1;
  result.straggler_ns = straggler(trace, selection, instances);
  const auto abstain = [&result](const std::string& reason) {
    result.dropped_fraction = result.ranks_max_over_mean = result.balancedness_sglang = result.balancedness_vllm =
        Answer<double>(Abstained{reason});
  };
  if (trace.router_loads.empty()) {
    abstain("no router counts in the record: annotate them with moescope_router_load");
    return result;
  }
  const Tally counts = tally(trace, selection.scope);
  result.placement_in_order = counts.placement_in_order && !counts.rankless;
  const std::size_t expected = expected_ranks(trace);
  if (!counts.rankless && counts.ranks.size() < expected) {
    abstain("router counts of " + std::to_string(counts.ranks.size()) + " of " + std::to_string(expected) +
            " ranks: record the others too");
    return result;
  }
  double assigned = 0, kept = 0, mean_sum = 0, max_sum = 0;
  Mean all_ratio, all_sglang;
  std::map<LayerId, std::vector<const Loads*>> layers;
  for (const auto& [key, loads] : counts.instances) {
    if (loads.assigned <= 0) {
      ++result.instances_without_tokens;
      continue;
    }
    layers[std::get<0>(key)].push_back(&loads);
  }
  const bool by_rank = counts.received && !counts.rankless;
  const char* const sent_only =
      counts.received ? "the counts are of all ranks together, and which rank holds which expert isn't known"
                      : "only the sent side was recorded: which rank computes a token isn't known";
  for (const auto& [layer, list] : layers) {
    RouterLayer row;
    row.layer = layer;
    row.instances = list.size();
    Mean ratio, cv, gini_mean, entropy, sglang;
    double layer_assigned = 0, layer_kept = 0, layer_mean = 0, layer_max = 0;
    std::set<ExpertId> alive;
    for (const Loads* loads : list) {
      layer_assigned += loads->assigned;
      layer_kept += loads->kept;
      if (loads->kept <= 0) continue;
      std::vector<double> experts(static_cast<std::size_t>(counts.experts), 0.0);
      for (const auto& [expert, tokens] : loads->experts) {
        if (expert.valid()) experts[static_cast<std::size_t>(expert.value)] += tokens;
        if (tokens > 0) alive.insert(expert);
      }
      ratio.add(max_over_mean(experts));
      cv.add(coefficient_of_variation(experts));
      gini_mean.add(gini(experts));
      if (experts.size() > 1) entropy.add(entropy_normalised(experts));
      if (!by_rank) continue;
      std::vector<double> ranks;
      for (const RankId rank : counts.ranks) {
        const auto found = loads->ranks.find(rank);
        ranks.push_back(found == loads->ranks.end() ? 0.0 : found->second);
      }
      const double mean = loads->kept / static_cast<double>(ranks.size());
      const double max = *std::max_element(ranks.begin(), ranks.end());
      sglang.add((mean + 1e-5) / (max + 1e-5));  // its definition's own epsilon
      all_sglang.add((mean + 1e-5) / (max + 1e-5));
      all_ratio.add(max / mean);
      layer_mean += mean;
      layer_max += max;
    }
    const char* const all_dropped = "every token was dropped";
    row.max_over_mean = ratio.answer(all_dropped);
    row.cv = cv.answer(all_dropped);
    row.gini = gini_mean.answer(all_dropped);
    row.entropy_normalised = entropy.answer(counts.experts > 1 ? all_dropped : "there is one expert only");
    row.dead_experts = static_cast<double>(counts.experts) - static_cast<double>(alive.size());
    row.dropped_fraction = (layer_assigned - layer_kept) / layer_assigned;
    row.balancedness_sglang = sglang.answer(by_rank ? all_dropped : sent_only);
    row.balancedness_vllm = layer_max > 0 ? Answer<double>(layer_mean / layer_max)
                                          : Answer<double>(Abstained{by_rank ? all_dropped : sent_only});
    assigned += layer_assigned;
    kept += layer_kept;
    mean_sum += layer_mean;
    max_sum += layer_max;
    result.layers.push_back(std::move(row));
  }
  if (result.layers.empty()) {
    abstain("no tokens were routed in this scope");
    return result;
  }
  const char* const otherwise = by_rank ? "every token was dropped" : sent_only;
  result.dropped_fraction = (assigned - kept) / assigned;
  result.ranks_max_over_mean = all_ratio.answer(otherwise);
  result.balancedness_sglang = all_sglang.answer(otherwise);
  result.balancedness_vllm = max_sum > 0 ? Answer<double>(mean_sum / max_sum) : Answer<double>(Abstained{otherwise});
  return result;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/layers.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/model/parallel.h"
#include "analyzer/stage/layer_chains.h"

namespace moescope {
namespace {

constexpr StageSet kChainStages = kMoeStages | Stage::kALLTOALL | Stage::kATTENTION;
constexpr std::size_t kLeastLayers = 3;
constexpr std::size_t kMostMicroBatches = 4;

std::string two_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

// The chains of one layer of one micro-batch in one pass: one, or its waves.
struct Instance {
  std::size_t first_chain = 0;  // in the flow's order
  StepId step;
  Ns open = 0, close = 0;
  std::size_t ordinal = 0;  // in its step
};

// A map that is mostly asked for the key before.
template <class Key, class Value>
class LastOf {
 public:
  explicit LastOf(std::map<Key, Value>& map) : map_(map) {}
  Value& operator[](const Key& key) {
    if (value_ == nullptr || key != key_) value_ = &map_[key_ = key];
    return *value_;
  }

 private:
  std::map<Key, Value>& map_;
  Key key_{};
  Value* value_ = nullptr;
};

// One pass of one (marked) micro-batch on a device.
struct Flow {
  bool backward = false;
  std::vector<std::size_t> chains;  // of LayerChains
  std::vector<Instance> instances;
  std::size_t micro_batches = 1;
  double micro_batch_confidence = -1;  // of the best number above one that was tried
};

struct DeviceLayers {
  LayerChains chains;
  std::vector<Flow> flows;
  double confidence = 0;
  std::size_t per_step = 0;  // layers, the most over flows
};

class Layers {
 public:
  Layers(const Trace& trace, Attribution& attribution, PlaceTable& places)
      : trace_(trace), attribution_(attribution), structure_(attribution.structure), places_(places) {}

  void run() {
    std::map<DeviceKey, std::vector<const Track*>> tracks;
    for (const Track& track : trace_.tracks)
      if (track.is_execution() && track.rows > 0) tracks[{track.rank, track.device}].push_back(&track);
    std::vector<std::pair<DeviceKey, const std::vector<const Track*>*>> lists;
    for (const auto& [device, its] : tracks) lists.emplace_back(device, &its);
    std::vector<Candidates> candidates(lists.size());
    each_in_parallel(lists.size(), trace_.spans.size(),
                     [&] { return [&](std::size_t i) { candidates[i] = gather(*lists[i].second); }; });
    std::set<RankId> marked;
    bool exchanges = false, micro_batches_marked = false, waves_marked = false;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (candidates[i].layers_marked) marked.insert(lists[i].first.rank);
      exchanges = exchanges || candidates[i].exchanges;
      micro_batches_marked = micro_batches_marked || candidates[i].micro_batches_marked;
      waves_marked = waves_marked || candidates[i].waves_marked;
    }
    if (micro_batches_marked) mark(structure_.micro_batch_fact);
    if (waves_marked) mark(structure_.wave_fact);
    if (!marked.empty()) mark(structure_.layer_fact);
    std::vector<DeviceLayers> found(lists.size());
    each_in_parallel(lists.size(), trace_.spans.size(), [&] {
      return [&](std::size_t i) {
        std::vector<std::uint32_t>& rows = candidates[i].rows;
        if (rows.empty() || marked.contains(lists[i].first.rank)) return;
        trace_.spans.merge_by_start(rows, std::move(candidates[i].runs));
        found[i] = search(rows);
        rows = {};
      };
    });
    std::vector<DeviceLayers> devices;
    double least = 1;
    for (DeviceLayers& one : found) {
      if (one.chains.chains.empty()) continue;
      least = std::min(least, one.confidence);
      devices.push_back(std::move(one));
    }
    if (devices.empty() || least < kLeastConfidence) {
      if (!marked.empty()) return;
      structure_.layer_fact.confidence = devices.empty() ? -1 : least;
      structure_.layer_fact.evidence =
          devices.empty() ? (exchanges ? "no dispatch opens a chain" : "no dispatch and combine in the record")
                          : "dispatch, experts and combine do not follow each other as layers do (confidence " +
                                two_digits(least) + ")";
      return;
    }
    std::vector<std::vector<Place>> places(devices.size());
    each_in_parallel(devices.size(), trace_.spans.size(),
                     [&] { return [&](std::size_t i) { places[i] = settle(devices[i]); }; });
    for (std::size_t i = 0; i < devices.size(); ++i) place_rows(devices[i], places[i]);
    say(devices, least, !marked.empty());
  }

 private:
  // A device's work that may be of a layer, and what the record marks.
  struct Candidates {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> runs;  // where each track's begin
    bool layers_marked = false, micro_batches_marked = false, waves_marked = false, exchanges = false;
  };
  Candidates gather(const std::vector<const Track*>& tracks) const {
    Candidates its;
    std::size_t most = 0;
    for (const Track* track : tracks) most += track->rows;
    its.rows.reserve(most);
    for (const Track* track : tracks) {
      its.runs.push_back(its.rows.size());
      for (std::size_t row = track->first_row; row < track->first_row + track->rows; ++row) {
        if (attribution_.activity[row] == ActivityClass::kNone) continue;
        const Place& place = structure_.at(row);
        its.micro_batches_marked = its.micro_batches_marked || place.micro_batch.valid();
        its.waves_marked = its.waves_marked || place.wave.valid();
        const StageSet stages = attribution_.stages[row];
        if (!stages.intersects(kChainStages)) continue;
        its.exchanges = its.exchanges || stages.intersects(StageSet(Stage::kDISPATCH) | Stage::kCOMBINE);
        its.layers_marked = its.layers_marked || place.layer.valid();
        if (!its.layers_marked) its.rows.push_back(static_cast<std::uint32_t>(row));
      }
    }
    return its;
  }

  static void mark(StructureFact& fact) { fact = {Origin::kMarked, 1, "marked in the record"}; }

  DeviceLayers search(const std::vector<std::uint32_t>& rows) const {
    DeviceLayers device;
    device.chains = layer_chains(trace_, attribution_, rows);
    const auto& chains = device.chains.chains;
    std::map<std::pair<bool, MicroBatchId>, Flow> flows;
    for (std::size_t i = 0; i < chains.size(); ++i) {
      Flow& flow = flows[{chains[i].backward, chains[i].micro_batch}];
      flow.backward = chains[i].backward;
      flow.chains.push_back(i);
    }
    std::size_t complete = 0, counted = 0, regular = 0, steps = 0;
    for (auto& [key, flow] : flows) {
      // The record may begin or end within a layer.
      std::size_t first = 0, last = flow.chains.size();
      if (first < last && !chains[flow.chains[first]].complete) ++first;
      while (last > first && last + kMostMicroBatches > flow.chains.size() && !chains[flow.chains[last - 1]].complete)
        --last;
      for (std::size_t i = first; i < last; ++i) complete += chains[flow.chains[i]].complete;
      counted += last - first;
      make_instances(device.chains, flow);
      const auto [usual, all] = regularity(flow);
      regular += usual;
      steps += all;
      device.flows.push_back(std::move(flow));
    }
    if (counted < kLeastLayers) return device;
    device.confidence = static_cast<double>(complete) / static_cast<double>(counted);
    if (steps > 0) device.confidence *= static_cast<double>(regular) / static_cast<double>(steps);
    return device;
  }

  void make_instances(const LayerChains& all, Flow& flow) const {
    std::map<StepId, std::size_t> seen;
    LastOf<StepId, std::size_t> seen_of(seen);
    for (std::size_t i = 0; i < flow.chains.size();) {
      const LayerChain& first = all.chains[flow.chains[i]];
      Instance instance;
      instance.first_chain = i;
      instance.step = structure_.at(first.first_row).step;
      instance.open = first.open;
      for (std::size_t wave = 0; wave < all.a_layer && i < flow.chains.size(); ++wave, ++i) {
        const LayerChain& chain = all.chains[flow.chains[i]];
        if (structure_.at(chain.first_row).step != instance.step) break;
        instance.close = std::max(instance.close, chain.close);
      }
      instance.ordinal = seen_of[instance.step]++;
      flow.instances.push_back(instance);
    }
    for (std::size_t m = kMostMicroBatches; m >= 2; --m) {
      const double share = in_flight(flow, m);
      flow.micro_batch_confidence = std::max(flow.micro_batch_confidence, share);
      if (share < kLeastConfidence) continue;
      flow.micro_batches = m;
      flow.micro_batch_confidence = share;
      break;
    }
  }

  // Share of groups of m neighbouring instances of a step that are all in flight at one time.
  static double in_flight(const Flow& flow, std::size_t m) {
    std::size_t groups = 0, together = 0;
    const auto& all = flow.instances;
    for (std::size_t i = 0; i + m <= all.size();) {
      if (all[i].ordinal % m != 0 || all[i + m - 1].step != all[i].step) {
        ++i;
        continue;
      }
      Ns first_close = all[i].close;
      for (std::size_t k = 1; k < m; ++k) first_close = std::min(first_close, all[i + k].close);
      ++groups;
      together += first_close > all[i + m - 1].open;
      i += m;
    }
    return groups == 0 ? 0 : static_cast<double>(together) / static_cast<double>(groups);
  }

  // Steps with the usual number of layers, and all of them, less those at the record's ends.
  static std::pair<std::size_t, std::size_t> regularity(const Flow& flow) {
    std::map<StepId, std::size_t> layers;
    LastOf<StepId, std::size_t> layers_of(layers);
    for (const Instance& one : flow.instances)
      if (one.step.valid()) ++layers_of[one.step];
    if (layers.size() < 3) return {0, 0};
    std::map<std::size_t, std::size_t> how_often;
    std::size_t usual = 0, all = 0;
    for (auto one = std::next(layers.begin()); one != std::prev(layers.end()); ++one, ++all)
      usual = std::max(usual, ++how_often[one->second]);
    return {usual, all};
  }

  // What each chain says of the places of its rows.
  std::vector<Place> settle(DeviceLayers& device) {
    std::map<StepId, std::size_t> forward;  // layers
    LastOf<StepId, std::size_t> forward_of(forward);
    for (const Flow& flow : device.flows)
      for (const Instance& one : flow.instances)
        if (!flow.backward) forward_of[one.step] = std::max(forward_of[one.step], one.ordinal / flow.micro_batches + 1);
    std::vector<Place> found(device.chains.chains.size());
    for (const Flow& flow : device.flows) {
      std::map<StepId, std::size_t> in_step;
      LastOf<StepId, std::size_t> in_step_of(in_step);
      for (const Instance& one : flow.instances) ++in_step_of[one.step];
      for (std::size_t i = 0; i < flow.instances.size(); ++i) {
        const Instance& one = flow.instances[i];
        std::size_t layer = one.ordinal / flow.micro_batches;
        std::size_t layers = (in_step_of[one.step] + flow.micro_batches - 1) / flow.micro_batches;
        if (flow.backward) {
          if (const auto known = forward.find(one.step); known != forward.end())
            layers = std::max(layers, known->second);
          layer = layers - 1 - layer;
        }
        device.per_step = std::max(device.per_step, layer + 1);
        const std::size_t end = i + 1 < flow.instances.size() ? flow.instances[i + 1].first_chain : flow.chains.size();
        for (std::size_t c = one.first_chain; c < end; ++c) {
          Place& place = found[flow.chains[c]];
          place.step = one.step;
          place.layer = LayerId(static_cast<std::int32_t>(layer));
          if (flow.micro_batches > 1)
            place.micro_batch = MicroBatchId(static_cast<std::int32_t>(one.ordinal % flow.micro_batches));
          if (device.chains.a_layer > 1) place.wave = WaveId(static_cast<std::int32_t>(c - one.first_chain));
        }
      }
    }
    for (const auto& [row, role] : device.chains.paired)
      if (attribution_.role[row] == Stage::kALLTOALL) attribution_.role[row] = role;
    return found;
  }

  void place_rows(const DeviceLayers& device, const std::vector<Place>& found) {
    PlaceChanges changes(places_);
    for (const auto& [row, chain] : device.chains.member_of) {
      const Place& says = found[static_cast<std::size_t>(chain)];
      changes.apply(row, chain, [&says](Place& place) {
        place.layer = says.layer;
        if (!place.micro_batch.valid()) place.micro_batch = says.micro_batch;
        if (!place.wave.valid()) place.wave = says.wave;
      });
    }
  }

  void say(const std::vector<DeviceLayers>& devices, double least, bool some_marked) {
    std::size_t layers = 0, micro_batches = 1, waves = 1;
    bool halves = false;
    double sure = 1, tried = -1;
    for (const DeviceLayers& device : devices) {
      layers = std::max(layers, device.per_step);
      waves = std::max(waves, device.chains.a_layer);
      halves = halves || device.chains.halves > 1;
      for (const Flow& flow : device.flows) {
        micro_batches = std::max(micro_batches, flow.micro_batches);
        tried = std::max(tried, flow.micro_batch_confidence);
        if (flow.micro_batches > 1) sure = std::min(sure, flow.micro_batch_confidence);
      }
    }
    const bool numbered = structure_.step_fact.known();
    StructureFact& fact = structure_.layer_fact;
    fact.origin = some_marked ? Origin::kMixed : Origin::kFound;
    fact.confidence = least;
    fact.evidence = "dispatch to combine, " + std::to_string(layers) + (numbered ? " a step" : " in the record");
    if (halves) fact.evidence += "; sending and receiving are kernels of their own";
    StructureFact& batches = structure_.micro_batch_fact;
    if (!batches.known() && micro_batches > 1)
      batches = {Origin::kFound, sure, std::to_string(micro_batches) + " layers are in flight at a time"};
    else if (!batches.known())
      batches.confidence = tried, batches.evidence = "layers follow one another: no two are in flight at a time";
    StructureFact& wave = structure_.wave_fact;
    if (!wave.known() && waves > 1)
      wave = {Origin::kFound, least, std::to_string(waves) + " exchanges behind one router"};
    else if (!wave.known())
      wave.evidence = "one exchange a layer";
  }

  const Trace& trace_;
  Attribution& attribution_;
  Structure& structure_;
  PlaceTable& places_;
};

}  // namespace

void find_layers(const Trace& trace, Attribution& attribution, PlaceTable& places) {
  Layers(trace, attribution, places).run();
}

}  // namespace moescope

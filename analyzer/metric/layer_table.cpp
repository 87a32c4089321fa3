// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/layer_table.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace moescope {
namespace {

constexpr StageSet kExpertStages = StageSet(Stage::kL1) | Stage::kACT | Stage::kL2;
constexpr StageSet kTokenStages = StageSet(Stage::kDISPATCH) | Stage::kCOMBINE;

using Key = std::tuple<StepId, LayerId, MicroBatchId, Pass>;

// An instance while its rows come by, in the order of time.
struct Sum {
  LayerInstance instance;
  UnionLength expert, payload;
  std::vector<std::pair<WaveId, Interval>> waves;

  void add(Interval one, bool is_expert, bool is_payload, WaveId wave) {
    Interval& extent = instance.extent;
    if (extent.empty()) extent = one;
    extent = {std::min(extent.begin, one.begin), std::max(extent.end, one.end)};
    if (!one.empty()) {
      // All that began before does so no later than this one: it overlaps what has not ended yet.
      if (is_expert) instance.serial = instance.serial && payload.end() <= one.begin;
      if (is_payload) instance.serial = instance.serial && expert.end() <= one.begin;
    }
    if (is_expert) {
      Interval& hull = instance.expert_extent;
      if (!one.empty()) hull = hull.empty() ? one : Interval{hull.begin, std::max(hull.end, one.end)};
      expert.add(one);
    }
    if (is_payload) payload.add(one);
    if (!wave.valid() || one.empty()) return;
    const auto known = std::find_if(waves.rbegin(), waves.rend(), [&](const auto& w) { return w.first == wave; });
    if (known == waves.rend())
      waves.emplace_back(wave, one);
    else
      known->second.end = std::max(known->second.end, one.end);
  }

  LayerInstance done() {
    instance.expert_compute = expert.length();
    instance.payload = payload.length();
    instance.waves = waves.size();
    std::vector<std::pair<Ns, int>> edges;  // ends sort before begins at the same instant: intervals are half-open
    for (const auto& [wave, extent] : waves) {
      edges.emplace_back(extent.begin, 1);
      edges.emplace_back(extent.end, -1);
    }
    std::sort(edges.begin(), edges.end());
    int now = 0, most = 0;
    for (const auto& [time, change] : edges) most = std::max(most, now += change);
    instance.depth = static_cast<std::size_t>(most);
    return instance;
  }
};

// Which instance a place and a pass belong to. Places differ in their waves too: several share an instance.
class InstanceNumbers {
 public:
  explicit InstanceNumbers(std::size_t places) : of_place_(places * MOESCOPE_PASS_COUNT, -1) {}
  // -1: a new one, to be told by set().
  std::int32_t& at(std::int32_t place, Pass pass) {
    return of_place_[static_cast<std::size_t>(place) * MOESCOPE_PASS_COUNT + static_cast<std::size_t>(pass)];
  }
  void forget() {
    for (const std::size_t index : set_) of_place_[index] = -1;
    set_.clear();
    by_key_.clear();
  }
  // fresh: the number of the next instance, taken where the key is new.
  std::int32_t number(std::int32_t place, const Key& key, std::int32_t fresh) {
    const auto [known, is_new] = by_key_.try_emplace(key, fresh);
    at(place, std::get<Pass>(key)) = known->second;
    set_.push_back(static_cast<std::size_t>(&at(place, std::get<Pass>(key)) - of_place_.data()));
    return known->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = static_cast<std::uint64_t>(std::get<Pass>(key));
      for (const std::int32_t value :
           {std::get<StepId>(key).value, std::get<LayerId>(key).value, std::get<MicroBatchId>(key).value})
        hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x9e3779b97f4a7c15u, hash ^= hash >> 31;
      return static_cast<std::size_t>(hash);
    }
  };
  std::vector<std::int32_t> of_place_;
  std::vector<std::size_t> set_;
  std::unordered_map<Key, std::int32_t, Hash> by_key_;
};

}  // namespace

std::vector<LayerInstance> layer_instances(const Work& work) {
  const Attribution& attribution = work.attribution;
  const Structure& structure = attribution.structure;
  std::vector<LayerInstance> instances;
  InstanceNumbers numbers(structure.places.size());
  for (std::size_t device = 0; device < work.devices.size(); ++device) {
    std::vector<Sum> sums;
    for (const std::size_t row : work.devices[device].chosen->rows) {
      const Stage role = attribution.role[row];
      const bool expert = kExpertStages.contains(role), tokens = kTokenStages.contains(role);
      if (!expert && !tokens) continue;
      const std::int32_t at = structure.place[row];
      const Pass pass = attribution.pass[row];
      std::int32_t number = numbers.at(at, pass);
      const Place& place = structure.at(row);
      if (number < 0) {
        if (!place.layer.valid()) continue;
        number = numbers.number(at, {place.step, place.layer, place.micro_batch, pass},
                                static_cast<std::int32_t>(sums.size()));
        if (static_cast<std::size_t>(number) == sums.size()) {
          LayerInstance& fresh = sums.emplace_back().instance;
          fresh.device = device;
          fresh.step = place.step;
          fresh.layer = place.layer;
          fresh.micro_batch = place.micro_batch;
          fresh.pass = pass;
        }
      }
      sums[static_cast<std::size_t>(number)].add(work.selection.interval(work.trace, row), expert,
                                                 tokens && !is_control(attribution.part[row]), place.wave);
    }
    numbers.forget();
    const std::size_t first = instances.size();
    instances.reserve(first + sums.size());
    for (Sum& sum : sums) instances.push_back(sum.done());
    std::sort(instances.begin() + static_cast<std::ptrdiff_t>(first), instances.end(),
              [](const LayerInstance& a, const LayerInstance& b) {
                return std::tie(a.step, a.layer, a.micro_batch, a.pass) <
                       std::tie(b.step, b.layer, b.micro_batch, b.pass);
              });
  }
  return instances;
}

std::vector<LayerRow> layer_table(const Work& work, const std::vector<LayerInstance>& instances) {
  std::map<LayerId, LayerRow> rows;
  const auto cell_of = [&](LayerId layer, std::size_t device) -> LayerCell& {
    LayerRow& row = rows[layer];
    row.layer = layer;
    row.cells.resize(work.devices.size());
    if (!row.cells[device]) row.cells[device] = LayerCell{};
    return *row.cells[device];
  };
  const Structure& structure = work.attribution.structure;
  for (std::size_t device = 0; device < work.devices.size(); ++device) {
    // Marked work of a layer makes a row even where none of it is communication.
    std::map<LayerId, ExposureSum> sums;
    LayerId last;
    ExposureSum* sum = nullptr;
    work.devices[device].each_row([&](std::size_t row, const HiddenSpan* span) {
      const LayerId layer = structure.at(row).layer;
      if (!layer.valid()) return;
      if (layer != last || sum == nullptr) sum = &sums[last = layer];
      if (span != nullptr) sum->add(*span);
    });
    for (const auto& [layer, one] : sums) cell_of(layer, device).exposure = one.exposure(work.definition);
  }
  for (const LayerInstance& instance : instances) {
    LayerCell& cell = cell_of(instance.layer, instance.device);
    cell.expert_compute += instance.expert_compute;
    cell.payload += instance.payload;
  }
  std::vector<LayerRow> table;
  for (auto& [layer, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace moescope

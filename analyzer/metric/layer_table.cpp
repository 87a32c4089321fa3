// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/layer_table.h"

#include <algorithm>
#include <tuple>

namespace moescope {
namespace {

std::uint32_t most_at_once(const std::vector<std::pair<WaveId, Interval>>& waves) {
  std::vector<std::pair<Ns, int>> edges;  // ends sort before begins at the same instant: intervals are half-open
  for (const auto& [wave, extent] : waves) {
    edges.emplace_back(extent.begin, 1);
    edges.emplace_back(extent.end, -1);
  }
  std::sort(edges.begin(), edges.end());
  int now = 0, most = 0;
  for (const auto& [time, change] : edges) most = std::max(most, now += change);
  return static_cast<std::uint32_t>(most);
}

void add_to_wave(std::vector<std::pair<WaveId, Interval>>& waves, WaveId wave, Interval one) {
  const auto known = std::find_if(waves.rbegin(), waves.rend(), [&](const auto& w) { return w.first == wave; });
  if (known == waves.rend())
    waves.emplace_back(wave, one);
  else
    known->second.end = std::max(known->second.end, one.end);
}

}  // namespace

InstanceSums::InstanceSums(const DeviceWork& device)
    : work_(device.work), device_(static_cast<std::uint32_t>(device.index)) {
  const std::size_t entries = work_.instances * MOESCOPE_PASS_COUNT;
  if (entries <= 2 * device.chosen->rows.size() + 1024) table_.resize(entries, -1);
}

LayerInstance* InstanceSums::instance_of(const WorkRow& row) {
  const std::int32_t instance = work_.instance_of_place[static_cast<std::size_t>(row.place_number)];
  if (instance < 0) return nullptr;
  const std::int64_t key = std::int64_t{instance} * MOESCOPE_PASS_COUNT + static_cast<std::int64_t>(row.pass);
  std::int32_t& number =
      table_.empty() ? hash_.try_emplace(key, -1).first->second : table_[static_cast<std::size_t>(key)];
  if (number < 0) {
    number = static_cast<std::int32_t>(instances_.size());
    LayerInstance& fresh = instances_.emplace_back();
    fresh.device = device_;
    fresh.step = row.place->step;
    fresh.layer = row.place->layer;
    fresh.micro_batch = row.place->micro_batch;
    fresh.pass = row.pass;
    fresh.extent = row.interval;
  }
  return &instances_[static_cast<std::size_t>(number)];
}

void InstanceSums::take(const WorkRow& row, bool expert, bool payload) {
  LayerInstance* const its = instance_of(row);
  if (its == nullptr) return;
  const Interval one = row.interval;
  if (its->extent.empty()) its->extent = one;
  its->extent.end = std::max(its->extent.end, one.end);
  if (one.empty()) return;
  // All that began before did so no later than this one: it overlaps what has not ended yet, and adds to a union what
  // lies behind its end.
  Interval& hull = its->expert_extent;
  if (expert) {
    its->serial = its->serial && its->payload_end <= one.begin;
    if (hull.empty()) hull = {one.begin, one.begin};
    its->expert_compute += std::max<Ns>(0, one.end - std::max(one.begin, hull.end));
    hull.end = std::max(hull.end, one.end);
  }
  if (payload) {
    its->serial = its->serial && (hull.empty() || hull.end <= one.begin);
    its->payload += std::max<Ns>(0, one.end - std::max(one.begin, its->payload_end));
    its->payload_end = std::max(its->payload_end, one.end);
  }
  if (!row.place->wave.valid()) return;
  waves_.resize(instances_.size());
  add_to_wave(waves_[static_cast<std::size_t>(its - instances_.data())], row.place->wave, one);
}

std::vector<LayerInstance> InstanceSums::instances() {
  for (std::size_t i = 0; i < waves_.size(); ++i) {
    instances_[i].waves = static_cast<std::uint32_t>(waves_[i].size());
    instances_[i].depth = most_at_once(waves_[i]);
  }
  const auto before = [](const LayerInstance& a, const LayerInstance& b) {
    return std::tie(a.step, a.layer, a.micro_batch, a.pass) < std::tie(b.step, b.layer, b.micro_batch, b.pass);
  };
  if (!std::is_sorted(instances_.begin(), instances_.end(), before))
    std::sort(instances_.begin(), instances_.end(), before);
  return std::move(instances_);
}

std::map<LayerId, Exposure> LayerSums::exposures(Definition definition) const {
  std::map<LayerId, Exposure> exposures;
  for (std::size_t layer = 0; layer < usual_.size(); ++layer)
    if (usual_[layer].any)
      exposures[LayerId(static_cast<std::int32_t>(layer))] = usual_[layer].exposure.exposure(definition);
  for (const auto& [layer, sum] : others_) exposures[layer] = sum.exposure.exposure(definition);
  return exposures;
}

std::vector<LayerRow> layer_table(const std::vector<std::map<LayerId, Exposure>>& devices,
                                  const LayerInstances& instances) {
  std::map<LayerId, LayerRow> rows;
  for (std::size_t device = 0; device < devices.size(); ++device)
    for (const auto& [layer, exposure] : devices[device]) {
      LayerRow& row = rows[layer];
      row.layer = layer;
      row.cells.resize(devices.size());
      row.cells[device] = LayerCell{exposure, 0, 0};
    }
  LayerRow* row = nullptr;
  for (const auto& device : instances)
    for (const LayerInstance& instance : device) {
      if (row == nullptr || row->layer != instance.layer) row = &rows[instance.layer];
      LayerCell& cell = *row->cells[instance.device];  // its rows are among those of the layer
      cell.expert_compute += instance.expert_compute;
      cell.payload += instance.payload;
    }
  std::vector<LayerRow> table;
  for (auto& [layer, one] : rows) table.push_back(std::move(one));
  return table;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/layer_table.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace moescope {
namespace {

constexpr StageSet kExpertStages = StageSet(Stage::kL1) | Stage::kACT | Stage::kL2;
constexpr StageSet kTokenStages = StageSet(Stage::kDISPATCH) | Stage::kCOMBINE;

std::size_t most_at_once(const std::map<WaveId, Interval>& waves) {
  std::vector<std::pair<Ns, int>> edges;  // ends sort before begins at the same instant: intervals are half-open
  for (const auto& [wave, extent] : waves) {
    edges.emplace_back(extent.begin, 1);
    edges.emplace_back(extent.end, -1);
  }
  std::sort(edges.begin(), edges.end());
  int now = 0, most = 0;
  for (const auto& [time, change] : edges) most = std::max(most, now += change);
  return static_cast<std::size_t>(most);
}

LayerInstance measure(const Trace& trace, const Attribution& attribution, const Selection& selection,
                      const std::vector<std::size_t>& rows) {
  LayerInstance instance;
  std::vector<Interval> expert, payload;
  std::map<WaveId, Interval> waves;
  for (const std::size_t row : rows) {
    const Interval one = selection.interval(trace, row);
    if (instance.extent.empty()) instance.extent = one;
    instance.extent = {std::min(instance.extent.begin, one.begin), std::max(instance.extent.end, one.end)};
    const Stage role = attribution.role[row];
    if (kExpertStages.contains(role)) expert.push_back(one);
    if (kTokenStages.contains(role) && !is_control(attribution.part[row])) payload.push_back(one);
    const WaveId wave = attribution.structure.at(row).wave;
    if (!wave.valid() || one.empty()) continue;
    const auto [extent, fresh] = waves.try_emplace(wave, one);
    if (!fresh) extent->second = {std::min(extent->second.begin, one.begin), std::max(extent->second.end, one.end)};
  }
  instance.expert_compute = IntervalSet::from(std::move(expert));
  instance.payload = IntervalSet::from(std::move(payload));
  instance.waves = waves.size();
  instance.depth = most_at_once(waves);
  return instance;
}

}  // namespace

std::vector<LayerInstance> layer_instances(const Trace& trace, const Attribution& attribution,
                                           const Selection& selection) {
  std::vector<LayerInstance> instances;
  for (std::size_t device = 0; device < selection.devices.size(); ++device) {
    std::map<std::tuple<StepId, LayerId, MicroBatchId, Pass>, std::vector<std::size_t>> groups;
    for (const std::size_t row : selection.devices[device].rows) {
      const Place& place = attribution.structure.at(row);
      if (!place.layer.valid() || !(kExpertStages | kTokenStages).contains(attribution.role[row])) continue;
      groups[{place.step, place.layer, place.micro_batch, attribution.pass[row]}].push_back(row);
    }
    for (const auto& [key, rows] : groups) {
      LayerInstance instance = measure(trace, attribution, selection, rows);
      instance.device = device;
      std::tie(instance.step, instance.layer, instance.micro_batch, instance.pass) = key;
      instances.push_back(std::move(instance));
    }
  }
  return instances;
}

std::vector<LayerRow> layer_table(const Trace& trace, const Attribution& attribution, const Selection& selection,
                                  const std::vector<LayerInstance>& instances, Definition definition) {
  std::map<LayerId, LayerRow> rows;
  const auto cell_of = [&](LayerId layer, std::size_t device) -> LayerCell& {
    LayerRow& row = rows[layer];
    row.layer = layer;
    row.cells.resize(selection.devices.size());
    if (!row.cells[device]) row.cells[device] = LayerCell{};
    return *row.cells[device];
  };
  for (std::size_t device = 0; device < selection.devices.size(); ++device) {
    const DeviceRows& chosen = selection.devices[device];
    std::map<LayerId, std::vector<std::size_t>> groups;
    for (const std::size_t row : chosen.rows)
      if (attribution.structure.at(row).layer.valid()) groups[attribution.structure.at(row).layer].push_back(row);
    if (groups.empty()) continue;
    const IntervalSet hiding = hiders(device_activity(trace, attribution, selection, chosen.rows), definition);
    for (const auto& [layer, members] : groups)
      cell_of(layer, device).exposure = exposure(trace, attribution, selection, members, hiding, definition);
  }
  for (const LayerInstance& instance : instances) {
    LayerCell& cell = cell_of(instance.layer, instance.device);
    cell.expert_compute += instance.expert_compute.measure();
    cell.payload += instance.payload.measure();
  }
  std::vector<LayerRow> table;
  for (auto& [layer, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace moescope

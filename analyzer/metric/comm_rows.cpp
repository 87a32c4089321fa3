// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/comm_rows.h"

namespace moescope {

std::map<Pass, CommCell> CommSums::passes(Definition definition) const {
  std::map<Pass, CommCell> cells;
  for (int pass = 0; pass < MOESCOPE_PASS_COUNT; ++pass)
    if (passes_[pass].any && static_cast<Pass>(pass) != Pass::kUNKNOWN)
      cells[static_cast<Pass>(pass)] = {passes_[pass].exposure.exposure(definition), passes_[pass].expert.length()};
  return cells;
}

std::map<WaveId, CommCell> CommSums::waves(Definition definition) const {
  std::map<WaveId, CommCell> cells;
  for (const auto& [wave, sum] : waves_) cells[wave] = {sum.exposure.exposure(definition), sum.expert.length()};
  return cells;
}

CommRows comm_rows(const std::vector<DeviceComm>& devices) {
  std::map<Pass, PassRow> passes;
  std::map<WaveId, WaveRow> waves;
  const auto put = [&devices](auto& row, std::size_t device, const CommCell& cell) {
    row.cells.resize(devices.size());
    row.cells[device] = cell;
  };
  for (std::size_t device = 0; device < devices.size(); ++device) {
    for (const auto& [pass, cell] : devices[device].passes) put(passes[pass], device, cell), passes[pass].pass = pass;
    for (const auto& [wave, cell] : devices[device].waves) put(waves[wave], device, cell), waves[wave].wave = wave;
  }
  CommRows result;
  for (auto& [pass, row] : passes) result.passes.push_back(std::move(row));
  for (auto& [wave, row] : waves) result.waves.push_back(std::move(row));
  return result;
}

}  // namespace moescope

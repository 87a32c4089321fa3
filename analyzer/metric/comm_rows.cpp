// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/comm_rows.h"

#include <map>

namespace moescope {
namespace {

constexpr StageSet kExpertStages = StageSet(Stage::kL1) | Stage::kACT | Stage::kL2;

struct Sum {
  bool any = false;
  ExposureSum exposure;
  UnionLength expert;
  void add(const Work& work, std::size_t row, const HiddenSpan* span, bool is_expert) {
    any = true;
    if (span != nullptr) exposure.add(*span);
    if (is_expert) expert.add(work.selection.interval(work.trace, row));
  }
  CommCell cell(Definition definition) const { return {exposure.exposure(definition), expert.length()}; }
};

}  // namespace

CommRows comm_rows(const Work& work) {
  const Attribution& attribution = work.attribution;
  const std::size_t devices = work.devices.size();
  std::map<std::int32_t, std::vector<std::optional<CommCell>>> passes, waves;
  for (std::size_t device = 0; device < devices; ++device) {
    std::map<std::int32_t, Sum> by_pass, by_wave;
    Sum sum_of_pass[MOESCOPE_PASS_COUNT];
    std::int32_t last = -1;
    Sum* sum_of_wave = nullptr;
    work.devices[device].each_row([&](std::size_t row, const HiddenSpan* span) {
      const bool expert = kExpertStages.contains(attribution.role[row]);
      if (span == nullptr && !expert) return;
      sum_of_pass[static_cast<std::size_t>(attribution.pass[row])].add(work, row, span, expert);
      const WaveId wave = attribution.structure.at(row).wave;
      if (!wave.valid()) return;
      if (wave.value != last || sum_of_wave == nullptr) sum_of_wave = &by_wave[last = wave.value];
      sum_of_wave->add(work, row, span, expert);
    });
    for (std::int32_t pass = 0; pass < MOESCOPE_PASS_COUNT; ++pass)
      if (static_cast<Pass>(pass) != Pass::kUNKNOWN && sum_of_pass[pass].any) by_pass[pass] = sum_of_pass[pass];
    const auto fill = [&](const std::map<std::int32_t, Sum>& sums, auto& table) {
      for (const auto& [key, sum] : sums) {
        table[key].resize(devices);
        table[key][device] = sum.cell(work.definition);
      }
    };
    fill(by_pass, passes);
    fill(by_wave, waves);
  }
  CommRows result;
  for (auto& [pass, cells] : passes) result.passes.push_back({static_cast<Pass>(pass), std::move(cells)});
  for (auto& [wave, cells] : waves) result.waves.push_back({WaveId(wave), std::move(cells)});
  return result;
}

}  // namespace moescope

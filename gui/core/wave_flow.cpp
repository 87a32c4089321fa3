// SPDX-License-Identifier: Apache-2.0
#include "gui/core/wave_flow.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace moescope::gui {
namespace {

constexpr Stage kChain[] = {Stage::kDISPATCH, Stage::kL1, Stage::kACT, Stage::kL2, Stage::kCOMBINE};
constexpr std::size_t kLinks = std::size(kChain);

struct Anchor {
  std::size_t lane = 0;
  double x0 = 0, x1 = 0;
};
// What makes spans of different stages one chain.
using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, Pass>;

bool is_backward(Pass pass) {
  return pass == Pass::kBACKWARD || pass == Pass::kBACKWARD_INPUT || pass == Pass::kBACKWARD_WEIGHT;
}

}  // namespace

std::vector<Flow> wave_flows(const Trace& trace, const Attribution& attribution, const Gantt& gantt,
                             std::span<const LaneItems> items, std::size_t most) {
  std::vector<Flow> flows;
  for (const LaneGroup& group : gantt.groups) {
    std::map<Key, std::array<std::optional<Anchor>, kLinks>> chains;
    for (std::size_t index = group.first_lane; index < group.first_lane + group.lanes; ++index) {
      const Lane& lane = gantt.lanes[index];
      const auto* const link = std::find(std::begin(kChain), std::end(kChain), lane.role);
      if (link == std::end(kChain)) continue;
      if (items[index].bars.size() > 4 * most) return {};
      for (const Bar& bar : items[index].bars) {
        const std::size_t row = lane.row[bar.segment];
        const Place& at = attribution.structure.at(row);
        if (!at.wave.valid() && !at.layer.valid()) continue;
        auto& place =
            chains[{at.step.value, at.layer.value, at.micro_batch.value, at.wave.value, trace.context_of(row).chunk,
                    attribution.pass[row]}][static_cast<std::size_t>(link - std::begin(kChain))];
        if (!place) place = Anchor{index, bar.x0, bar.x1};
        place->x0 = std::min(place->x0, bar.x0);
        place->x1 = std::max(place->x1, bar.x1);
      }
    }
    for (auto& [key, places] : chains) {
      if (is_backward(std::get<Pass>(key))) std::reverse(places.begin(), places.end());
      const Anchor* before = nullptr;
      for (const auto& place : places) {
        if (!place) continue;
        if (before != nullptr) flows.push_back({before->lane, place->lane, before->x1, place->x0});
        before = &*place;
      }
    }
    if (flows.size() > most) return {};
  }
  return flows;
}

}  // namespace moescope::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

namespace moescope::gui {
namespace {

struct LaneKind {
  Stage role;
  std::string_view label;
};
// THE order: as work flows through a layer, then what lies beside it.
constexpr LaneKind kLaneKinds[] = {
    {Stage::kROUTER, "Router"},
    {Stage::kPERMUTE, "Permute"},
    {Stage::kDISPATCH, "Dispatch"},
    {Stage::kL1, "L1"},
    {Stage::kACT, "Activation"},
    {Stage::kL2, "L2"},
    {Stage::kCOMBINE, "Combine"},
    {Stage::kUNPERMUTE, "Unpermute"},
    {Stage::kSHARED_EXPERT, "Shared expert"},
    {Stage::kATTENTION, "Attention"},
    {Stage::kALLTOALL, "All-to-all"},
    {Stage::kALLREDUCE, "All-reduce"},
    {Stage::kREDUCESCATTER, "Reduce-scatter"},
    {Stage::kALLGATHER, "All-gather"},
    {Stage::kSENDRECV, "Send/receive"},
    {Stage::kBROADCAST, "Broadcast"},
    {Stage::kCOLLECTIVE, "Collective"},
    {Stage::kMEMCPY, "Copies"},
    {Stage::kOTHER, "Other"},
    {Stage::kUNATTRIBUTED, "Unattributed"},
};
static_assert(std::size(kLaneKinds) == kStageCount);

std::string group_label(DeviceKey key, bool several_devices) {
  if (!key.rank.valid()) return fmt::format("device {}", std::max(key.device, 0));
  return several_devices ? fmt::format("rank {}.{}", key.rank.value, key.device)
                         : fmt::format("rank {}", key.rank.value);
}

bool any_rank_has_two_devices(const std::vector<DeviceKey>& devices) {
  return std::adjacent_find(devices.begin(), devices.end(), [](const DeviceKey& a, const DeviceKey& b) {
           return a.rank.valid() && a.rank == b.rank;
         }) != devices.end();
}

std::vector<Interval> shifted(const IntervalSet& set, Ns zero) {
  std::vector<Interval> result = set.intervals();
  for (Interval& interval : result) interval.begin -= zero, interval.end -= zero;
  return result;
}

void add_lanes(const Trace& trace, const Attribution& attribution, const DeviceActivity& activity, LaneGroup& group,
               Gantt& gantt) {
  std::vector<std::vector<LaneSpan>> spans(kStageCount);
  std::vector<std::vector<Interval>> communication(kStageCount);
  for (const Track& track : trace.tracks) {
    if (!track.is_execution() || DeviceKey{track.rank, track.device} != group.device || track.clock != group.clock)
      continue;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      if (attribution.activity[row] == ActivityClass::kNone) continue;
      const auto role = static_cast<std::size_t>(attribution.role[row]);
      const Interval time = trace.spans.interval(row);
      const std::int32_t wave = attribution.structure.at(row).wave.value;
      spans[role].push_back(
          {{time.begin - group.zero, time.end - group.zero},
           static_cast<std::uint32_t>(row),
           static_cast<std::int16_t>(std::min(wave, std::int32_t{std::numeric_limits<std::int16_t>::max()}))});
      if (attribution.activity[row] == ActivityClass::kCommunication) communication[role].push_back(time);
    }
  }
  const IntervalSet exposed = activity.exposed();
  group.first_lane = gantt.lanes.size();
  for (const LaneKind& kind : kLaneKinds) {
    const auto role = static_cast<std::size_t>(kind.role);
    if (spans[role].empty()) continue;
    Lane lane;
    lane.device = group.device;
    lane.role = kind.role;
    lane.group = gantt.groups.size();
    fill_segments(std::move(spans[role]), lane);
    lane.exposed = shifted(IntervalSet::from(std::move(communication[role])).intersect(exposed), group.zero);
    lane.pyramid = SpanPyramid(lane.segments, lane.exposed, gantt.length);
    gantt.lanes.push_back(std::move(lane));
  }
  group.lanes = gantt.lanes.size() - group.first_lane;
}

}  // namespace

std::size_t lane_order(Stage role) {
  for (std::size_t i = 0; i < std::size(kLaneKinds); ++i)
    if (kLaneKinds[i].role == role) return i;
  return std::size(kLaneKinds);
}

std::string_view stage_label(Stage role) {
  const std::size_t order = lane_order(role);
  return order < std::size(kLaneKinds) ? kLaneKinds[order].label : name(role);
}

Gantt build_gantt(const Trace& trace, const Attribution& attribution, const Analysis& analysis,
                  const GanttOptions& options) {
  Gantt gantt;
  gantt.figures = run_figures(analysis);
  std::vector<DeviceKey> devices;
  std::vector<DeviceActivity> activities;
  std::vector<std::size_t> order;  // of the groups in the picture
  std::map<ClockId, Interval> hulls;
  for (const DeviceRows& device : analysis.selection.devices) {
    DeviceActivity activity = device_activity(trace, attribution, device.device, {});
    const Interval hull = activity.busy.hull();
    if (!hull.empty()) {
      const auto [known, fresh] = hulls.try_emplace(activity.clock, hull);
      if (!fresh) known->second = {std::min(known->second.begin, hull.begin), std::max(known->second.end, hull.end)};
      order.push_back(activities.size());
    }
    devices.push_back(device.device);
    activities.push_back(std::move(activity));
  }
  for (const auto& [clock, hull] : hulls) gantt.length = std::max(gantt.length, hull.length());
  gantt.several_clocks = hulls.size() > 1;

  if (order.size() > options.most_groups) {
    const auto exposed = [&](std::size_t index) {
      const Answer<double>& answer = gantt.figures.devices[index].exposed;
      return answer ? *answer : -1.0;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return exposed(a) > exposed(b); });
    gantt.note =
        fmt::format("{} of {} devices shown, most exposed communication first", options.most_groups, order.size());
    order.resize(options.most_groups);
  }
  if (gantt.several_clocks)
    gantt.note += (gantt.note.empty() ? "" : "; ") +
                  fmt::format("{} clocks that nothing ties together: each starts at its own first work", hulls.size());

  const bool several_devices = any_rank_has_two_devices(devices);
  for (const std::size_t index : order) {
    LaneGroup group;
    group.device = activities[index].device;
    group.clock = activities[index].clock;
    group.zero = hulls.at(group.clock).begin;
    group.label = group_label(group.device, several_devices);
    group.figures = index;
    add_lanes(trace, attribution, activities[index], group, gantt);
    gantt.groups.push_back(std::move(group));
  }
  return gantt;
}

}  // namespace moescope::gui

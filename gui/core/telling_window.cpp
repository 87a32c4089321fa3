// SPDX-License-Identifier: Apache-2.0
#include "gui/core/telling_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "gui/core/time_text.h"

namespace moescope::gui {
namespace {

constexpr std::size_t kMostSpansALane = 12;  // more of them and waves are too narrow to be numbered
constexpr std::size_t kSpansWithoutSteps = 5;

void add(std::optional<Interval>& hull, Interval part) {
  if (part.empty()) return;
  hull = hull ? Interval{std::min(hull->begin, part.begin), std::max(hull->end, part.end)} : part;
}

// The hull of all spans in the picture that a condition on their place selects.
template <class Selects>
std::optional<Interval> hull_of(const Structure& structure, const Gantt& gantt, Selects selects) {
  std::optional<Interval> hull;
  for (const Lane& lane : gantt.lanes)
    for (std::size_t i = 0; i < lane.segments.size(); ++i)
      if (selects(gantt.groups[lane.group], structure.at(lane.row[i]))) add(hull, lane.segments[i]);
  return hull;
}

std::size_t most_spans_in(const Gantt& gantt, Interval window) {
  std::size_t most = 0;
  for (const Lane& lane : gantt.lanes) {
    const std::size_t first = lane.first_ending_after(static_cast<double>(window.begin));
    const auto last = std::partition_point(lane.segments.begin(), lane.segments.end(),
                                           [&](const Interval& segment) { return segment.begin < window.end; });
    most =
        std::max(most, static_cast<std::size_t>(last - lane.segments.begin()) - std::min(first, lane.segments.size()));
  }
  return most;
}

Interval with_room(Interval window) {
  const Ns room = std::max<Ns>(window.length() / 50, 1);
  return {window.begin - room, window.end + room};
}

// Without steps: some spans around the middle one of the lane that says most about an expert layer.
TellingWindow middle_of_run(const Gantt& gantt) {
  const Lane* best = nullptr;
  for (const Stage role : {Stage::kDISPATCH, Stage::kCOMBINE, Stage::kALLTOALL, Stage::kALLREDUCE})
    for (const Lane& lane : gantt.lanes)
      if (best == nullptr && lane.role == role) best = &lane;
  for (const Lane& lane : gantt.lanes)
    if (best == nullptr || (lane.exposed.empty() && best->exposed.empty() && lane.spans > best->spans)) best = &lane;
  if (best == nullptr || best->segments.size() <= kSpansWithoutSteps) return {{0, gantt.length}, "the whole run"};
  const std::size_t middle = best->segments.size() / 2;
  const std::size_t first = middle - kSpansWithoutSteps / 2, last = first + kSpansWithoutSteps - 1;
  const Interval window = with_room({best->segments[first].begin, best->segments[last].end});
  if (window.length() >= gantt.length) return {{0, gantt.length}, "the whole run"};
  return {window, fmt::format("{} from the middle of the run", duration_text(static_cast<double>(window.length())))};
}

}  // namespace

TellingWindow telling_window(const Structure& structure, const Gantt& gantt, const Range& steps) {
  if (gantt.groups.empty()) return {{0, std::max<Ns>(gantt.length, 1)}, "the whole run"};
  // Steps of the first rank shown, by the user's number; the other ranks' steps of the same number belong to them.
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> number_of;
  std::vector<std::int64_t> numbers;
  for (const Step& step : structure.steps) {
    number_of[{step.rank.value, step.step.value}] = step.number;
    if (step.rank == gantt.groups.front().device.rank && steps.contains(step.number)) numbers.push_back(step.number);
  }
  if (numbers.empty()) return middle_of_run(gantt);
  std::sort(numbers.begin(), numbers.end());
  const bool chosen = !steps.all();
  const std::int64_t first = chosen ? numbers.front() : numbers[numbers.size() / 2];
  const std::int64_t last = chosen ? numbers.back() : first;
  const auto in_steps = [&](const LaneGroup& group, const Place& place) {
    const auto found = number_of.find({group.device.rank.value, place.step.value});
    return found != number_of.end() && found->second >= first && found->second <= last;
  };
  const auto hull = hull_of(structure, gantt, in_steps);
  if (!hull) return middle_of_run(gantt);
  std::string what = first == last ? fmt::format("step {}", first) : fmt::format("steps {} to {}", first, last);
  if (chosen || most_spans_in(gantt, *hull) <= kMostSpansALane) return {with_room(*hull), what};

  std::set<std::int32_t> layers;
  for (const Lane& lane : gantt.lanes)
    for (std::size_t i = 0; i < lane.segments.size(); ++i) {
      const Place& place = structure.at(lane.row[i]);
      if (place.layer.valid() && in_steps(gantt.groups[lane.group], place)) layers.insert(place.layer.value);
    }
  if (layers.size() < 2) return {with_room(*hull), what};
  // As many layers around the middle one as stay readable.
  const std::size_t a_layer = std::max<std::size_t>(most_spans_in(gantt, *hull) / layers.size(), 1);
  const std::size_t count = std::clamp<std::size_t>(kMostSpansALane / a_layer, 1, layers.size());
  const auto first_layer = std::next(layers.begin(), static_cast<std::ptrdiff_t>((layers.size() - count + 1) / 2));
  const std::int32_t from = *first_layer, to = *std::next(first_layer, static_cast<std::ptrdiff_t>(count - 1));
  const auto layer_hull = hull_of(structure, gantt, [&](const LaneGroup& group, const Place& place) {
    return place.layer.value >= from && place.layer.value <= to && in_steps(group, place);
  });
  what += from == to ? fmt::format(", layer {}", from) : fmt::format(", layers {} to {}", from, to);
  return {with_room(*layer_hull), what};
}

}  // namespace moescope::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/span_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/metric/selection.h"
#include "gui/core/time_text.h"

namespace moescope::gui {
namespace {

double overlap(const std::vector<Interval>& intervals, double begin, double end) {
  auto it = std::partition_point(intervals.begin(), intervals.end(), [begin](const Interval& interval) {
    return static_cast<double>(interval.end) <= begin;
  });
  double sum = 0;
  for (; it != intervals.end() && static_cast<double>(it->begin) < end; ++it)
    sum += std::min(end, static_cast<double>(it->end)) - std::max(begin, static_cast<double>(it->begin));
  return sum;
}

std::string stage_text(Stage stage, Stage role, Part part, Pass pass) {
  std::string text(stage_label(role));
  if (stage != role) text += fmt::format(" (by a {} kernel)", name(stage));
  if (part != Part::kPAYLOAD) text += fmt::format(", {}", name(part));
  if (pass != Pass::kUNKNOWN) text += fmt::format(", {}", name(pass));
  return text;
}

}  // namespace

std::string short_name(std::string_view full_name) {
  std::string text(full_name);
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at = text.find(kUnnamed); at != std::string::npos; at = text.find(kUnnamed))
    text.erase(at, kUnnamed.size());
  const std::string_view name = text;
  const std::size_t arguments = name.find_first_of("<(", 1);
  std::string_view head = name.substr(0, arguments);
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  if (const std::size_t space = head.rfind(' '); space != std::string_view::npos && arguments != std::string_view::npos)
    head.remove_prefix(space + 1);
  if (const std::size_t scope = head.rfind("::"); scope != std::string_view::npos && scope + 2 < head.size())
    head.remove_prefix(scope + 2);
  return std::string(head.empty() ? name : head);
}

std::vector<Fact> span_facts(const Trace& trace, const Attribution& attribution, const Gantt& gantt, std::size_t lane,
                             std::size_t row) {
  const LaneGroup& group = gantt.groups[gantt.lanes[lane].group];
  const Context& context = trace.context_of(row);
  const auto duration = static_cast<double>(trace.spans.duration[row]);
  std::vector<Fact> facts;
  facts.push_back({"name", std::string(trace.name_of(row))});
  facts.push_back({"where", group.label + ", " + trace.track_of(row).name});
  if (trace.track_of(row).name.empty()) facts.back().value = group.label;
  facts.push_back({"stage", stage_text(attribution.stage[row], attribution.role[row], attribution.part[row],
                                       attribution.pass[row])});
  std::string place;
  const auto add_place = [&place](std::string_view what, std::int64_t value) {
    place += fmt::format("{}{} {}", place.empty() ? "" : ", ", what, value);
  };
  const Place& at = attribution.structure.at(row);
  if (at.step.valid()) add_place("step", step_number(attribution.structure, group.device.rank, at.step));
  if (at.layer.valid()) add_place("layer", at.layer.value);
  if (at.micro_batch.valid()) add_place("micro-batch", at.micro_batch.value);
  if (context.chunk >= 0) add_place("chunk", context.chunk);
  if (at.wave.valid()) add_place("wave", at.wave.value);
  if (!place.empty()) facts.push_back({"place", place});
  facts.push_back({"start", duration_text(static_cast<double>(trace.spans.start[row] - group.zero))});
  facts.push_back({"duration", duration_text(duration)});
  if (const auto bytes = static_cast<double>(trace.spans.bytes[row]); bytes >= 0)
    facts.push_back({"bytes", duration > 0 ? fmt::format("{}, {:.1f} GB/s", amount_text(bytes, "B"), bytes / duration)
                                           : amount_text(bytes, "B")});
  if (const double flops = trace.spans.flops[row]; flops >= 0)
    facts.push_back({"flops", duration > 0 ? fmt::format("{}, {}", amount_text(flops, "FLOP"),
                                                         amount_text(flops / duration * 1e9, "FLOP/s"))
                                           : amount_text(flops, "FLOP")});
  if (attribution.activity[row] == ActivityClass::kCommunication && duration > 0) {
    const auto begin = static_cast<double>(trace.spans.start[row] - group.zero);
    const double exposed = overlap(gantt.lanes[lane].exposed, begin, begin + duration);
    facts.push_back({"exposed", fmt::format("{}, {}", duration_text(exposed), percent_text(exposed / duration))});
  }
  return facts;
}

RangeFigures range_figures(const Gantt& gantt, double begin, double end) {
  RangeFigures figures;
  if (end < begin) std::swap(begin, end);
  figures.length = end - begin;
  double communication = 0;
  for (const LaneGroup& group : gantt.groups) {
    std::vector<Interval> busy, exposed, talking;
    for (std::size_t i = group.first_lane; i < group.first_lane + group.lanes; ++i) {
      const Lane& lane = gantt.lanes[i];
      const auto take = [&](const std::vector<Interval>& from, std::vector<Interval>& to) {
        auto it = std::partition_point(from.begin(), from.end(), [begin](const Interval& interval) {
          return static_cast<double>(interval.end) <= begin;
        });
        for (; it != from.end() && static_cast<double>(it->begin) < end; ++it) to.push_back(*it);
      };
      take(lane.segments, busy);
      take(lane.exposed, exposed);
      if (kCommunicationStages.contains(lane.role)) take(lane.segments, talking);
    }
    const auto total = [&](std::vector<Interval> parts) {
      return overlap(IntervalSet::from(std::move(parts)).intervals(), begin, end);
    };
    figures.busy += total(std::move(busy));
    figures.exposed += total(std::move(exposed));
    communication += total(std::move(talking));
  }
  if (communication > 0) figures.hidden_fraction = 1 - figures.exposed / communication;
  if (!gantt.groups.empty()) {
    figures.busy /= static_cast<double>(gantt.groups.size());
    figures.exposed /= static_cast<double>(gantt.groups.size());
  }
  return figures;
}

}  // namespace moescope::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/run_title.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gui/core/time_text.h"

namespace moescope::gui {
namespace {

std::string_view last_part(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string about(const Trace& trace, const Structure& structure, const Gantt& gantt) {
  std::vector<std::string> parts;
  if (!trace.files.empty() && !trace.files.front().executable.empty())
    parts.emplace_back(last_part(trace.files.front().executable));
  else if (!trace.files.empty() && trace.files.front().format != "moescope")
    parts.push_back(trace.files.front().format + " trace");
  if (trace.model && !trace.model->name.empty()) parts.push_back(trace.model->name);
  std::set<std::int32_t> ranks, layers, waves;
  std::set<std::int64_t> steps;
  for (const DeviceFigures& figures : gantt.figures.devices)
    if (figures.device.rank.valid()) ranks.insert(figures.device.rank.value);
  for (const Step& step : structure.steps) steps.insert(step.number);
  for (const Place& place : structure.places) {
    if (place.layer.valid()) layers.insert(place.layer.value);
    if (place.wave.valid()) waves.insert(place.wave.value);
  }
  if (!ranks.empty()) parts.push_back(counted(ranks.size(), "rank"));
  if (!steps.empty()) parts.push_back(counted(steps.size(), "step"));
  if (!layers.empty()) parts.push_back(counted(layers.size(), "layer"));
  if (!waves.empty()) parts.push_back(counted(waves.size(), "wave"));
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : " · ").append(part);
  return text;
}

}  // namespace

RunTitle run_title(const Trace& trace, const Structure& structure, const Gantt& gantt,
                   const std::vector<std::string>& paths) {
  RunTitle title;
  title.name = paths.empty() ? "run" : std::string(last_part(paths.front()));
  if (paths.size() > 1) title.name += fmt::format(" and {} more", paths.size() - 1);
  title.about = about(trace, structure, gantt);

  const RunFigures& run = gantt.figures;
  if (run.step)
    title.figures.push_back({duration_text(*run.step), "step time"});
  else if (gantt.length > 0)
    title.figures.push_back({duration_text(static_cast<double>(gantt.length)), "in all"});
  if (run.exposed && run.hidden) {
    title.figures.push_back(
        {duration_text(run.exposed->median), run.per_step ? "exposed communication a step" : "exposed communication"});
    title.figures.push_back({percent_text(run.hidden->median), "of communication hidden"});
    if (run.devices.size() > 1 && percent_text(run.hidden->worst) != percent_text(run.hidden->median))
      title.figures.push_back(
          {percent_text(run.hidden->worst), fmt::format("on the worst, rank {}", run.hidden->worst_rank.value)});
  }

  std::set<ClockId> clocks;
  for (const LaneGroup& group : gantt.groups) clocks.insert(group.clock);
  const auto any_clock = [&](ClockKind kind) {
    return std::any_of(clocks.begin(), clocks.end(), [&](ClockId id) {
      return id.valid() && static_cast<std::size_t>(id.value) < trace.clocks.size() &&
             trace.clocks[static_cast<std::size_t>(id.value)].kind == kind;
    });
  };
  if (any_clock(ClockKind::kVIRTUAL)) title.badges.emplace_back("virtual clock");
  if (any_clock(ClockKind::kPACED)) title.badges.emplace_back("paced");
  if (trace.cut_short()) title.badges.emplace_back("cut short");
  return title;
}

}  // namespace moescope::gui

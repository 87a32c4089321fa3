// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/arrival.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace moescope {
namespace {

struct Meeting {
  std::span<const MatchedPart> parts;
  std::size_t last = 0;  // index of the part
  Ns latest = 0, earliest = 0, transfer = 0;
  bool waited = true;  // nobody left before the latest came
};

Meeting meet(const Trace& trace, std::span<const MatchedPart> parts, const ClockAlignment& clocks) {
  Meeting meeting;
  meeting.parts = parts;
  meeting.latest = std::numeric_limits<Ns>::min();
  meeting.earliest = meeting.transfer = std::numeric_limits<Ns>::max();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const MatchedPart& part = parts[i];
    const Ns start = trace.spans.start[part.row] + clocks.offset[part.device];
    if (start > meeting.latest) meeting.latest = start, meeting.last = i;
    meeting.earliest = std::min(meeting.earliest, start);
    meeting.transfer = std::min(meeting.transfer, trace.spans.duration[part.row]);
  }
  const Ns error = clocks.fitted ? clocks.residual_p95 : std::min(clocks.residual_p95, kMostClockError);
  for (const MatchedPart& part : parts)
    meeting.waited = meeting.waited && trace.spans.end(part.row) + clocks.offset[part.device] >= meeting.latest - error;
  return meeting;
}

}  // namespace

Arrivals arrivals(const Trace& trace, const Selection& selection, const std::vector<CallLists>& devices) {
  Arrivals result;
  if (selection.devices.size() < 2) return result;
  const CollectiveMatch match = match_collectives(trace, selection, devices);
  result.left_out = match.unmatched;
  if (match.instances.empty()) {
    result.clocks = Abstained{"no communication of one rank could be matched with another's"};
    return result;
  }
  result.clocks = align_clocks(trace, selection, match);
  if (!result.clocks) return result;
  std::map<Stage, std::vector<Meeting>> stages;
  for (const CollectiveInstance& instance : match.instances)
    stages[instance.stage].push_back(meet(trace, match.parts_of(instance), *result.clocks));
  for (const auto& [stage, meetings] : stages) {
    const auto unwaited =
        std::count_if(meetings.begin(), meetings.end(), [](const Meeting& meeting) { return !meeting.waited; });
    if (static_cast<double>(unwaited) > kMostUnwaited * static_cast<double>(meetings.size())) {
      result.left_out.push_back(std::string(name(stage)) + ": in " + std::to_string(unwaited) + " of " +
                                std::to_string(meetings.size()) +
                                " instances a rank leaves before the last has come, so they don't wait for each other");
      continue;
    }
    ArrivalRow row;
    row.stage = stage;
    row.cells.resize(selection.devices.size());
    for (const Meeting& meeting : meetings) {
      for (std::size_t i = 0; i < meeting.parts.size(); ++i) {
        const MatchedPart& part = meeting.parts[i];
        std::optional<ArrivalCell>& cell = row.cells[part.device];
        if (!cell) cell = ArrivalCell{};
        ++cell->count;
        cell->wait += meeting.latest - (trace.spans.start[part.row] + result.clocks->offset[part.device]);
        cell->transfer += meeting.transfer;
        if (i != meeting.last || meeting.latest == meeting.earliest) continue;
        ++cell->last;
        cell->caused += meeting.latest - meeting.earliest;
      }
      const MatchedPart& last = meeting.parts[meeting.last];
      result.worst.push_back({stage, meeting.latest - meeting.earliest, meeting.transfer,
                              selection.devices[last.device].device.rank, trace.spans.start[last.row]});
    }
    result.rows.push_back(std::move(row));
  }
  std::stable_sort(result.worst.begin(), result.worst.end(),
                   [](const WorstInstance& a, const WorstInstance& b) { return a.wait > b.wait; });
  if (result.worst.size() > kWorstKept) result.worst.resize(kWorstKept);
  return result;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/stage_table.h"

#include <algorithm>
#include <map>

namespace moescope {

std::vector<StagePart> stage_parts(const Trace& trace, const Attribution& attribution, const Selection& selection,
                                   std::span<const std::size_t> rows, const IntervalSet& hiding,
                                   Definition definition) {
  std::map<std::pair<Pass, Stage>, std::vector<std::size_t>> groups;
  for (const std::size_t row : rows) groups[{attribution.pass[row], attribution.stage[row]}].push_back(row);
  std::vector<StagePart> parts;
  for (const auto& [key, members] : groups) {
    StagePart part{key.second, key.first, {}};
    StageCell& cell = part.cell;
    std::vector<Interval> intervals;
    intervals.reserve(members.size());
    for (const std::size_t row : members) {
      intervals.push_back(selection.interval(trace, row));
      cell.communication = cell.communication || attribution.activity[row] == ActivityClass::kCommunication;
      if (!is_control(attribution.part[row])) ++cell.payload_spans;
      if (trace.spans.bytes[row] >= 0) {
        cell.bytes += trace.spans.bytes[row];
        if (!is_control(attribution.part[row])) ++cell.with_bytes;
      }
      if (trace.spans.flops[row] >= 0) {
        cell.flops += trace.spans.flops[row];
        if (!is_control(attribution.part[row])) ++cell.with_flops;
      }
    }
    cell.count = members.size();
    cell.time = IntervalSet::from(std::move(intervals)).measure();
    if (cell.communication) cell.exposure = exposure(trace, attribution, selection, members, hiding, definition);
    parts.push_back(part);
  }
  return parts;
}

std::vector<StageRow> stage_table(const Trace& trace, const Attribution& attribution, const Selection& selection,
                                  Definition definition) {
  std::map<std::pair<Pass, Stage>, StageRow> rows;
  for (std::size_t device = 0; device < selection.devices.size(); ++device) {
    const DeviceRows& chosen = selection.devices[device];
    const IntervalSet hiding = hiders(device_activity(trace, attribution, selection, chosen.rows), definition);
    for (const StagePart& part : stage_parts(trace, attribution, selection, chosen.rows, hiding, definition)) {
      StageRow& row = rows[{part.pass, part.stage}];
      row.stage = part.stage;
      row.pass = part.pass;
      row.cells.resize(selection.devices.size());
      row.cells[device] = part.cell;
    }
  }
  std::vector<StageRow> table;
  for (auto& [key, row] : rows) table.push_back(std::move(row));
  // Work of no known pass comes last.
  std::stable_partition(table.begin(), table.end(), [](const StageRow& row) { return row.pass != Pass::kUNKNOWN; });
  return table;
}

}  // namespace moescope

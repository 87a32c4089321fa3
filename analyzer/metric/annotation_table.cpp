// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/annotation_table.h"

#include <algorithm>
#include <map>

namespace moescope {

std::vector<AnnotationRow> annotation_table(const Trace& trace, const Attribution& attribution,
                                            const Selection& selection, Definition definition) {
  std::map<std::int32_t, AnnotationRow> rows;
  for (std::size_t device = 0; device < selection.devices.size(); ++device) {
    const DeviceRows& chosen = selection.devices[device];
    std::map<std::int32_t, std::vector<std::size_t>> groups;
    for (const std::size_t row : chosen.rows)
      if (attribution.annotation[row] >= 0 && attribution.activity[row] == ActivityClass::kCommunication)
        groups[attribution.annotation[row]].push_back(row);
    if (groups.empty()) continue;
    const IntervalSet hiding = hiders(device_activity(trace, attribution, selection, chosen.rows), definition);
    for (const auto& [name, members] : groups) {
      AnnotationRow& row = rows[name];
      row.name = NameId(name);
      row.cells.resize(selection.devices.size());
      row.cells[device] =
          AnnotationCell{members.size(), exposure(trace, attribution, selection, members, hiding, definition)};
    }
  }
  std::vector<AnnotationRow> table;
  for (auto& [name, row] : rows) table.push_back(std::move(row));
  std::sort(table.begin(), table.end(), [&trace](const AnnotationRow& a, const AnnotationRow& b) {
    return trace.names[static_cast<std::size_t>(a.name.value)] < trace.names[static_cast<std::size_t>(b.name.value)];
  });
  return table;
}

}  // namespace moescope

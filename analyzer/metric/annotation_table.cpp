// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/annotation_table.h"

#include <algorithm>

namespace moescope {
namespace {

struct Sum {
  std::size_t count = 0;
  ExposureSum exposure;
};

}  // namespace

std::map<std::int32_t, AnnotationCell> annotation_cells(const DeviceWork& device) {
  std::map<std::int32_t, Sum> sums;
  std::int32_t last = -1;
  Sum* sum = nullptr;
  for (const HiddenSpan& span : device.communication) {
    const std::int32_t name = device.work.attribution.annotation[span.row];
    if (name < 0) continue;
    if (name != last || sum == nullptr) sum = &sums[last = name];
    ++sum->count;
    sum->exposure.add(span);
  }
  std::map<std::int32_t, AnnotationCell> cells;
  for (const auto& [name, one] : sums) cells[name] = {one.count, one.exposure.exposure(device.work.definition)};
  return cells;
}

std::vector<AnnotationRow> annotation_table(const Trace& trace,
                                            const std::vector<std::map<std::int32_t, AnnotationCell>>& devices) {
  std::map<std::int32_t, AnnotationRow> rows;
  for (std::size_t device = 0; device < devices.size(); ++device)
    for (const auto& [name, cell] : devices[device]) {
      AnnotationRow& row = rows[name];
      row.name = NameId(name);
      row.cells.resize(devices.size());
      row.cells[device] = cell;
    }
  std::vector<AnnotationRow> table;
  for (auto& [name, row] : rows) table.push_back(std::move(row));
  std::sort(table.begin(), table.end(), [&names = trace.names](const AnnotationRow& a, const AnnotationRow& b) {
    return names[static_cast<std::size_t>(a.name.value)] < names[static_cast<std::size_t>(b.name.value)];
  });
  return table;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/annotation_table.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace moescope {
namespace {

struct Sum {
  std::size_t count = 0;
  ExposureSum exposure;
};

}  // namespace

std::vector<AnnotationRow> annotation_table(const Work& work) {
  std::map<std::int32_t, AnnotationRow> rows;
  for (std::size_t device = 0; device < work.devices.size(); ++device) {
    std::unordered_map<std::int32_t, Sum> sums;
    std::int32_t last = -1;
    Sum* sum = nullptr;
    for (const HiddenSpan& span : work.devices[device].communication) {
      const std::int32_t name = work.attribution.annotation[span.row];
      if (name < 0) continue;
      if (name != last || sum == nullptr) sum = &sums[last = name];
      ++sum->count;
      sum->exposure.add(span);
    }
    for (const auto& [name, one] : sums) {
      AnnotationRow& row = rows[name];
      row.name = NameId(name);
      row.cells.resize(work.devices.size());
      row.cells[device] = AnnotationCell{one.count, one.exposure.exposure(work.definition)};
    }
  }
  std::vector<AnnotationRow> table;
  for (auto& [name, row] : rows) table.push_back(std::move(row));
  const std::vector<std::string>& names = work.trace.names;
  std::sort(table.begin(), table.end(), [&names](const AnnotationRow& a, const AnnotationRow& b) {
    return names[static_cast<std::size_t>(a.name.value)] < names[static_cast<std::size_t>(b.name.value)];
  });
  return table;
}

}  // namespace moescope

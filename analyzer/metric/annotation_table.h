#pragma once
// SPDX-License-Identifier: Apache-2.0
// Communication by the user's own words: which range launched it. "dispatch(B)" may run the combine kernel; whoever
// wrote the range wants to know what *it* costs.

#include <map>
#include <optional>
#include <vector>

#include "analyzer/metric/work.h"

namespace moescope {

struct AnnotationCell {
  std::size_t count = 0;  // communication spans launched in it
  Exposure exposure;
};
struct AnnotationRow {
  NameId name;
  std::vector<std::optional<AnnotationCell>> cells;  // as Selection::devices
};
// One device's, by NameId; only ranges that launched communication.
std::map<std::int32_t, AnnotationCell> annotation_cells(const DeviceWork& device);
// In order of name.
std::vector<AnnotationRow> annotation_table(const Trace& trace,
                                            const std::vector<std::map<std::int32_t, AnnotationCell>>& devices);

}  // namespace moescope

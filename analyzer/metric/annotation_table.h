#pragma once
// SPDX-License-Identifier: Apache-2.0
// Communication by the user's own words: which range launched it. "dispatch(B)" may run the combine kernel; whoever
// wrote the range wants to know what *it* costs.

#include <optional>
#include <vector>

#include "analyzer/metric/overlap.h"

namespace moescope {

struct AnnotationCell {
  std::size_t count = 0;  // communication spans launched in it
  Exposure exposure;
};
struct AnnotationRow {
  NameId name;
  std::vector<std::optional<AnnotationCell>> cells;  // as Selection::devices
};
// In order of name. Only ranges that launched communication.
std::vector<AnnotationRow> annotation_table(const Work& work);

}  // namespace moescope

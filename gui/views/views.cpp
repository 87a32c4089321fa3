// SPDX-License-Identifier: Apache-2.0
#include "gui/views/views.h"

#include "gui/views/gantt_view.h"
#include "gui/views/summary_view.h"

namespace moescope::gui {
namespace {

std::optional<std::string> no_svg(const RunData&, const PictureRequest&) {
  return std::nullopt;
}

// THE list of views; the first is the one in the middle of the window.
constexpr ViewKind kViews[] = {
    {"gantt", "Gantt", "stages of each rank over time, waves numbered, exposed communication hatched",
     create_gantt_view, gantt_picture, gantt_svg},
    {"summary", "Summary", "time, exposed time, bytes and rates per rank and stage", create_summary_view,
     summary_picture, no_svg},
};

}  // namespace

std::span<const ViewKind> view_kinds() {
  return kViews;
}

const ViewKind* find_view(std::string_view name) {
  for (const ViewKind& kind : kViews)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace moescope::gui

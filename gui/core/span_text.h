#pragma once
// SPDX-License-Identifier: Apache-2.0
// All that is known of one span, for the tooltip, and the short form of its name for the label in its bar.

#include <string>
#include <string_view>
#include <vector>

#include "gui/core/gantt.h"

namespace moescope::gui {

struct Fact {
  std::string what, value;
};
std::vector<Fact> span_facts(const Trace& trace, const Attribution& attribution, const Gantt& gantt, std::size_t lane,
                             std::size_t row);
// "void deep_ep::intranode::dispatch<8, ...>(...)" -> "dispatch".
std::string short_name(std::string_view name);

// What a range of time holds: the read-out while dragging.
struct RangeFigures {
  double length = 0;             // ns
  double busy = 0, exposed = 0;  // means over the devices shown, ns
  std::optional<double> hidden_fraction;
};
RangeFigures range_figures(const Gantt& gantt, double begin, double end);

}  // namespace moescope::gui

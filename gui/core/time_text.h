#pragma once
// SPDX-License-Identifier: Apache-2.0
// Times and amounts as people read and type them.

#include <optional>
#include <string>
#include <string_view>

namespace moescope::gui {

std::string duration_text(double ns);  // three significant digits: "523 ns", "12.3 µs", "1.24 ms"
std::string amount_text(double value, std::string_view unit);  // 1000-based prefixes: "1.27 GB", "3.1 TFLOP/s"
std::string percent_text(double fraction);                     // one decimal: "62.4 %"

struct TimeRange {
  double begin = 0, end = 0;  // ns relative to the run's start
};
// "12.5" is ms; "3us", "3µs", "250ns", "1.2s" carry their unit. ns, nullopt where it is no time.
std::optional<double> parse_time(std::string_view text);
// "A:B"; an empty side is the run's start or end (length_ns), ":" the whole run. A must lie before B.
std::optional<TimeRange> parse_time_range(std::string_view text, double length_ns);

}  // namespace moescope::gui

// SPDX-License-Identifier: Apache-2.0
#include "gui/core/ruler_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace moescope::gui {
namespace {

struct Unit {
  double ns;
  const char* name;
};
constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};

double step_at_least(double ns) {
  ns = std::max(ns, 1.0);
  const double power = std::pow(10, std::floor(std::log10(ns)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= ns * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

int decimals_for(double step, double unit) {
  return std::max(0, static_cast<int>(std::ceil(std::log10(unit / step) - 1e-9)));
}

}  // namespace

std::vector<Tick> ruler_ticks(const TimeAxis& axis, double min_distance_px) {
  const double step = step_at_least(axis.ns_per_pixel() * min_distance_px);
  const double largest = std::max({std::abs(axis.begin()), std::abs(axis.end()), step});
  Unit unit = kUnits[3];
  for (const Unit& candidate : kUnits)
    if (largest >= candidate.ns && decimals_for(step, candidate.ns) <= 3) {
      unit = candidate;
      break;
    }
  const int decimals = decimals_for(step, unit.ns);
  std::vector<Tick> ticks;
  const auto first = static_cast<long long>(std::ceil(axis.begin() / step - 1e-9));
  const auto last = static_cast<long long>(std::floor(axis.end() / step + 1e-9));
  for (long long i = first; i <= last; ++i) {
    const double time = static_cast<double>(i) * step;
    ticks.push_back({time, axis.pixel_of(time), fmt::format("{:.{}f} {}", time / unit.ns, decimals, unit.name)});
  }
  return ticks;
}

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The few figures that stand above and beside the picture, taken from the analyzer's metrics: the report says the same.

#include <string>
#include <vector>

#include "analyzer/metric/metrics.h"

namespace moescope::gui {

struct DeviceFigures {
  DeviceKey device;
  Answer<double> exposed = Abstained{}, hidden = Abstained{};  // ns (a step, where there are steps); fraction
};
struct RunFigures {
  std::vector<DeviceFigures> devices;  // as Selection::devices
  bool per_step = false;
  Answer<double> step = Abstained{};  // ns: median over steps of the slowest rank's
  Answer<RankFigure> exposed = Abstained{}, hidden = Abstained{};
};
RunFigures run_figures(const Analysis& analysis);

// A metric's value as people read it: "1.24 ms", "96.3 %", "1.27 GB".
std::string metric_text(const Metric& metric, double value);

}  // namespace moescope::gui

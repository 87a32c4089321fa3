#pragma once
// SPDX-License-Identifier: Apache-2.0
// The few figures that stand above the picture and in the summary table, per device and over all of them, as
// metrics.md defines them. What can't be known is absent, never zero.

#include <array>
#include <optional>
#include <vector>

#include "analyzer/metric/device_activity.h"

namespace moescope::gui {

struct StageFigures {
  std::int64_t spans = 0;
  Ns time = 0;        // union of the stage's work
  Ns exposed = 0;     // of communication: under no compute
  double bytes = -1;  // sum where every payload span says it, else -1
  double flops = -1;
};

struct DeviceFigures {
  DeviceKey device;
  Ns span = 0, busy = 0, compute = 0, communication = 0, control = 0, exposed = 0;  // whole run
  std::optional<double> hidden_fraction;                                            // none without communication
  std::optional<Ns> step;                                                           // median
  std::size_t steps = 0;
  std::array<StageFigures, kStageCount> by_role;
};

struct RunFigures {
  std::vector<DeviceFigures> devices;                             // ascending
  std::optional<Ns> step;                                         // median over devices of their median step
  std::optional<double> exposed, hidden_fraction, exposed_share;  // medians; exposed per step where there are steps
  std::optional<DeviceKey> worst;                                 // with most exposed communication
};

DeviceFigures device_figures(const Trace& trace, const Attribution& attribution, const DeviceActivity& activity);
RunFigures run_figures(std::vector<DeviceFigures> devices);

}  // namespace moescope::gui

#pragma once
// SPDX-License-Identifier: Apache-2.0
// A run as the Gantt shows it: for each device a group of lanes, one a stage that occurs. Built once after loading,
// then only read. Lanes go by role (a layer's dispatch is a dispatch in its backward pass too).

#include <string>
#include <vector>

#include "analyzer/model/scope.h"
#include "gui/core/lane.h"
#include "gui/core/run_figures.h"

namespace moescope::gui {

struct LaneGroup {
  DeviceKey device;
  ClockId clock;
  Ns zero = 0;  // absolute time on its clock that the picture calls 0
  std::string label;
  std::size_t first_lane = 0, lanes = 0;
  std::size_t figures = 0;  // index into RunFigures::devices
};

struct GanttOptions {
  Range ranks;
  std::size_t most_groups = 16;  // more would be lanes of a few pixels; the ones with most exposed communication stay
};

struct Gantt {
  std::vector<LaneGroup> groups;
  std::vector<Lane> lanes;  // by group, then in the order work flows through a layer
  Ns length = 0;            // from the first to the last instant of work
  RunFigures figures;       // of all devices in GanttOptions::ranks, shown or not
  std::string note;         // what is not in the picture, and why; empty where all is
  bool several_clocks = false;
};

// Every row is looked at once; lanes' memory is about 30 bytes a span. analysis: of the whole time of options.ranks.
Gantt build_gantt(const Trace& trace, const Attribution& attribution, const Analysis& analysis,
                  const GanttOptions& options);

// The order of lanes within a group, and what stands beside them.
std::size_t lane_order(Stage role);
std::string_view stage_label(Stage role);

}  // namespace moescope::gui

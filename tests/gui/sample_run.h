#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs made by hand for the viewer's tests: attribution is what the contexts say, times are known exactly.

#include <string>
#include <vector>

#include "gui/core/gantt.h"

namespace moescope::gui::test {

// What attribute() gives where the record says everything itself: written out here so that these tests do not depend on
// the rules.
Attribution attribution_as_recorded(const Trace& trace);

struct SampleShape {
  int ranks = 4, steps = 6, layers = 2;
  int waves = 4;  // 0: naive, all stages one after the other
  bool virtual_clock = true, cut_short = false;
};
// An expert layer on two engines (link, compute) per rank; stage times per layer in us, times a factor a rank:
// dispatch 320, l1 480, act 80, l2 260, combine 400.
Trace sample_trace(const SampleShape& shape);
struct Sample {
  Trace trace;
  Attribution attribution;
  Analysis analysis;
  Gantt gantt;
};
Sample sample_from(Trace trace, const GanttOptions& options = {});
Sample sample_run(const SampleShape& shape, const GanttOptions& options = {});

// One rank, one execution track, spans given one by one.
struct SampleSpan {
  Ns begin, end;
  Stage stage;
  int wave = -1;
};
Sample sample_of(const std::vector<SampleSpan>& spans);

}  // namespace moescope::gui::test

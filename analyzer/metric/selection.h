#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which rows a figure is made of: each device's work within a scope, on one clock, and the steps it belongs to. Every
// metric family walks these rows, so that all of them speak of the same work. Built in one pass over the trace and one
// merge of each device's streams.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analyzer/model/scope.h"
#include "analyzer/model/trace.h"
#include "analyzer/stage/attribution.h"

namespace moescope {

struct DeviceRows {
  DeviceKey device;
  ClockId clock;                    // all rows are on it
  std::vector<std::uint32_t> rows;  // of Trace::spans, by start; work only (no host ranges, no waits)
  std::vector<StepId> steps;        // distinct, ascending; empty where figures are for the whole window
  double per() const { return steps.empty() ? 1.0 : static_cast<double>(steps.size()); }
};

enum class Per {
  kStep,    // where any work belongs to a step; else as kWindow
  kWindow,  // the whole record in scope, steps or not
};

struct Selection {
  Scope scope;
  Per asked = Per::kStep;
  std::vector<DeviceRows> devices;  // ascending by key; only those with rows
  bool per_step = false;            // figures are divided by the number of steps; else the window counts once
  // What was left out, so that a report can say so.
  std::size_t rows_outside_steps = 0, rows_on_other_clocks = 0, steps_unfinished = 0;

  Interval interval(const Trace& trace, std::size_t row) const {  // clipped to the scope's window
    Interval interval = trace.spans.interval(row);
    if (scope.window) {
      interval.begin = std::max(interval.begin, scope.window->begin);
      interval.end = std::min(interval.end, scope.window->end);
    }
    return interval;
  }
};

// In a selection per step work outside steps is left out, and so is a step whose end was never seen, if another one
// was.
Selection select(const Trace& trace, const Attribution& attribution, const Scope& scope, Per per = Per::kStep);

// The record's own row of a step, as its tables name it (spans: see Structure); null where nobody recorded its bounds.
const Step* find_step(const Trace& trace, RankId rank, StepId step);
// The user's number of a step, else its ordinal; -1 for none.
std::int64_t step_number(const Trace& trace, RankId rank, StepId step);

}  // namespace moescope

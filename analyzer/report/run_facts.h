#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a report is about, said once for text and JSON: files, ranks, steps, where the spans come from, on what clock,
// and whether the record ends before the job did.

#include <string>
#include <vector>

#include "analyzer/metric/analysis.h"

namespace moescope {

struct Hardware {  // devices that are alike
  Device device;
  std::size_t count = 0;
};

struct RunFacts {
  std::size_t ranks = 0;  // with work in scope
  std::size_t devices = 0;
  std::size_t steps = 0;             // distinct, 0: none known
  std::size_t layers = 0;            // distinct, marked or found
  Ns window_ns = 0;                  // first start to last end of work in scope, the longest over devices
  std::vector<std::string> sources;  // who recorded the work, then the clock where it isn't a measured one
  bool virtual_clock = false;        // all work lies on virtual clocks: the run is exact, not measured
  bool per_step = false;
  bool cut_short = false;
  std::string cut_short_reason;
  std::vector<Hardware> hardware;
};

RunFacts run_facts(const Trace& trace, const Analysis& analysis);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the collector itself costs, as diagnostic rows of the run file: `collector_cpu_ns` is the flush thread's CPU
// time, `producer_cpu_ns` an estimate of what the job's threads spent writing events, their number times the cost of
// one as measured here at the start.

#include <cstdint>

#include "collector/trace/trace_writer.h"

namespace moescope::collector {

class OverheadMeter {
 public:
  OverheadMeter();  // flush thread
  struct Counts {
    std::uint64_t recorded = 0, dropped = 0, unbalanced = 0, lost_by_disk = 0;
  };
  // Adds what came since the last call. totals only ever grow.
  void report(const Counts& totals, trace::TraceWriter& writer);
  double ns_per_event() const { return ns_per_event_; }

 private:
  void add(trace::TraceWriter& writer, const char* severity, const char* code, std::uint64_t total,
           std::uint64_t& reported, const char* detail);

  double ns_per_event_;
  struct {
    std::uint64_t recorded = 0, dropped = 0, unbalanced = 0, lost_by_disk = 0, cpu = 0, producer = 0, flushes = 0;
  } reported_;
};

}  // namespace moescope::collector

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/coverage.h"

#include <set>
#include <string>

namespace moescope {

Coverage coverage(const Trace& trace, const Attribution& attribution, const Selection& selection) {
  Coverage result;
  result.stage_attributed_fraction = attribution.attributed_fraction;
  double dropped = 0;
  bool recorded = false;  // by our collector, which counts what it drops
  for (const SourceFile& file : trace.files) recorded = recorded || file.format == "moescope";
  for (const Diagnostic& one : trace.diagnostics)
    if (one.code.find("dropped") != std::string::npos) {
      dropped += static_cast<double>(one.count);
      recorded = true;
    }
  if (recorded)
    result.records_dropped = dropped;
  else
    result.records_dropped = Abstained{"the imported format does not say what its recorder dropped"};
  std::set<ClockId> clocks;
  for (const DeviceRows& device : selection.devices) clocks.insert(device.clock);
  result.clock_residual_p95_ns =
      Abstained{clocks.size() <= 1 ? "all work lies on one clock: nothing to fit"
                                   : "the ranks' clocks could not be tied to each other by communication they share: "
                                     "each rank's figures stand on its own clock"};
  return result;
}

}  // namespace moescope

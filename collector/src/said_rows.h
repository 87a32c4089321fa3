#pragma once
// SPDX-License-Identifier: Apache-2.0
// Writes what the job said outside of its spans (SaidOnce) as rows. The flush thread's alone.

#include <map>
#include <string>

#include "collector/src/lane_book.h"
#include "collector/src/said_once.h"

namespace moescope::collector {

class SaidRows {
 public:
  // rank: of what doesn't say its own.
  SaidRows(trace::TraceWriter& writer, LaneBook& lanes, std::int32_t rank);
  void take(const SaidOnce& said);

 private:
  void take(const trace::ModelRow& row) { writer_.model(row); }
  void take(const trace::DeviceRow& row);
  void take(const trace::CommGroupRow& row);
  void take(const trace::ExpertPlacementRow& row) { writer_.expert_placement(row); }
  void take(const CounterReading& reading);
  void take(const StepWindow& window);
  void take(const NodeOfRank& said);
  void take(const RouterLoads& rows);
  void take(const PeerTraffics& rows);
  void take(const trace::DiagnosticRow& row) { writer_.diagnostic(row); }
  void know(std::int32_t rank);

  trace::TraceWriter& writer_;
  LaneBook& lanes_;
  const std::int32_t rank_;
  std::map<std::string, std::int32_t> groups_, links_;
};

}  // namespace moescope::collector

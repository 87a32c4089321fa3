#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the job says outside of its spans, rarely: model, devices, groups, placement, loads, traffic, counters, step
// windows. Goes from the job's thread to the flush thread as rows, under a short lock.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "collector/trace/schema.h"

namespace moescope::collector {

struct CounterReading {
  std::string link;
  std::int32_t kind = 0, rank = -1;  // rank -1: the process's
  std::int64_t time_ns = 0, tx_bytes = 0, rx_bytes = 0;
};
struct StepWindow {  // absolute times on its clock
  std::int32_t rank = -1, step = 0, kind = 0;
  std::int64_t number = 0;
  std::uint32_t clock = 0;
  std::int64_t start_ns = 0, end_ns = 0;
};
struct NodeOfRank {
  std::int32_t rank = -1, node = -1;
};
using RouterLoads = std::vector<trace::RouterLoadRow>;
using PeerTraffics = std::vector<trace::PeerTrafficRow>;

using SaidOnce = std::variant<trace::ModelRow, trace::DeviceRow, trace::CommGroupRow, trace::ExpertPlacementRow,
                              CounterReading, StepWindow, NodeOfRank, RouterLoads, PeerTraffics, trace::DiagnosticRow>;

// Rows it will make, to bound what waits.
inline std::size_t weight(const SaidOnce& said) {
  if (const auto* loads = std::get_if<RouterLoads>(&said)) return loads->size();
  if (const auto* traffics = std::get_if<PeerTraffics>(&said)) return traffics->size();
  return 1;
}

}  // namespace moescope::collector

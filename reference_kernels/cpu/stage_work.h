#pragma once
// SPDX-License-Identifier: Apache-2.0
// The arithmetic and the copying of one task, on whatever thread calls. Rows never depend on the wave they came in,
// sums over slots run in ascending order: all schedules give the same bits.

#include <cstdint>
#include <vector>

#include "reference_kernels/cpu/wire_meter.h"
#include "reference_kernels/schedule/task.h"
#include "reference_kernels/workspace.h"

namespace moescope::reference {

class StageWork {
 public:
  StageWork(const MoeShape& shape, const WavePartition& waves, const std::vector<ExchangePlan>& plans,
            const std::vector<Routing>& routings, Workspace& workspace, GemmPath gemm_path)
      : shape_(shape),
        waves_(waves),
        plans_(plans),
        routings_(routings),
        workspace_(workspace),
        gemm_path_(gemm_path) {}

  // Tells the meter of each row that crossed from another rank; NULL: nobody counts.
  void run(int round, int rank, Task task, WireMeter* meter);

 private:
  void dispatch(int round, int rank, int wave, WireMeter* meter);
  void l1(int round, int rank, int wave);
  void activate(int round, int rank, int wave);
  void l2(int round, int rank, int wave);
  void combine(int round, int rank, int wave, WireMeter* meter);
  const std::vector<float>& layer_input(int round, int rank) const;
  std::vector<float>& layer_output(int round, int rank);
  const ExchangePlan& plan(int round) const { return plans_[static_cast<std::size_t>(round)]; }

  const MoeShape& shape_;
  const WavePartition& waves_;
  const std::vector<ExchangePlan>& plans_;
  const std::vector<Routing>& routings_;
  Workspace& workspace_;
  GemmPath gemm_path_;
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The arithmetic and the copying of one task, on whatever thread calls. Rows never depend on the part they came in,
// sums over slots and over the inner width run in ascending order: all schedules give the same bits.

#include <cstdint>
#include <vector>

#include "reference_kernels/cpu/wire_meter.h"
#include "reference_kernels/schedule/task.h"
#include "reference_kernels/workspace.h"

namespace moescope::reference {

class StageWork {
 public:
  StageWork(const MoeShape& shape, const Tiling& tiling, const std::vector<ExchangePlan>& plans,
            const std::vector<Routing>& routings, Workspace& workspace, GemmPath gemm_path)
      : shape_(shape),
        tiling_(tiling),
        plans_(plans),
        routings_(routings),
        workspace_(workspace),
        gemm_path_(gemm_path) {}

  // Tells the meter of each row that crossed from another rank; NULL: nobody counts.
  void run(int round, int rank, Task task, WireMeter* meter);

 private:
  void dispatch(int round, int rank, const Tile& tile, WireMeter* meter);
  void l1(int round, int rank, const Tile& tile);
  void activate(int round, int rank, const Tile& tile);
  void l2(int round, int rank, const Tile& tile);
  void combine(int round, int rank, int part, const Tile& tile, WireMeter* meter);
  // Each run of rows in the tile: visit(expert, first row on the rank, rows).
  template <class Visit>
  void for_each_run(int round, int rank, const Tile& tile, Visit visit) const;
  const std::vector<float>& layer_input(int round, int rank) const;
  std::vector<float>& layer_output(int round, int rank);
  const ExchangePlan& plan(int round) const { return plans_[static_cast<std::size_t>(round)]; }

  const MoeShape& shape_;
  const Tiling& tiling_;
  const std::vector<ExchangePlan>& plans_;
  const std::vector<Routing>& routings_;
  Workspace& workspace_;
  GemmPath gemm_path_;
};

}  // namespace moescope::reference

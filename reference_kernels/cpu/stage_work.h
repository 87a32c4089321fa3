#pragma once
// SPDX-License-Identifier: Apache-2.0
// The arithmetic and the copying of one task, on whatever thread calls. Rows never depend on the part they came in,
// sums over slots and over the inner width run in ascending order: all schedules give the same bits.

#include <cstdint>
#include <vector>

#include "reference_kernels/cpu/wire_meter.h"
#include "reference_kernels/step_plan.h"
#include "reference_kernels/tiling.h"
#include "reference_kernels/workspace.h"

namespace moescope::reference {

class StageWork {
 public:
  // exchanges and routings: [step][micro-batch][layer]; shape.tokens: of a whole step. Everything outlives the object.
  StageWork(const MoeShape& shape, const StepPlan& plan, const Tiling& tiling,
            const std::vector<ExchangePlan>& exchanges, const std::vector<Routing>& routings, Workspace& workspace,
            GemmPath gemm_path)
      : shape_(shape),
        batch_tokens_(shape.tokens / plan.shape().micro_batches),
        plan_(plan),
        tiling_(tiling),
        exchanges_(exchanges),
        routings_(routings),
        workspace_(workspace),
        gemm_path_(gemm_path) {}

  // Tells the meter of each row that crossed from another rank; NULL: nobody counts. round: over all steps.
  void run(int round, int rank, Task task, WireMeter* meter);

 private:
  // Where a task is, and what is there.
  struct Place {
    int step, rank;
    const Round& round;
    const ExchangePlan& exchange;
    const Routing& routing;
    LayerBuffers& here;
    int layer() const { return round.layer; }
    bool backward() const { return round.direction == Direction::kBackward; }
  };
  Place place(int round, int rank);
  LayerBuffers& buffers(const Place& at, int rank);
  // Tokens of a rank between layers, micro-batch by micro-batch: boundary 0 is the input. gradient: of the loss by
  // them.
  float* state(const Place& at, int rank, int boundary, bool gradient);
  // What the layer's experts see of a rank's tokens; backward: the gradient by what they leave.
  const float* exchanged(const Place& at, int rank);

  // cpu/exchange_work.cpp
  void pull_rows(const Place& at, const Tile& tile, WireMeter* meter);
  void pull_results(const Place& at, int part, const Tile& tile, WireMeter* meter);
  // cpu/stage_work.cpp: forward
  void l1(const Place& at, const Tile& tile);
  void activate(const Place& at, const Tile& tile);
  void l2(const Place& at, const Tile& tile);
  // cpu/backward_work.cpp
  void l2_gradient(const Place& at, const Tile& tile);
  void activation_gradient(const Place& at, const Tile& tile);
  void l1_gradient(const Place& at, const Tile& tile);
  void l2_weight_gradient(const Place& at, int part);
  void l1_weight_gradient(const Place& at, int part);
  // cpu/side_work.cpp
  void dense(const Place& at, int part);
  void shared(const Place& at, int part);
  void dense_gradient(const Place& at, int part);
  void shared_gradient(const Place& at, int part);
  void side_weight_gradient(const Place& at, int part);
  void all_reduce(const Place& at, WireMeter* meter);

  // Each run of rows in the tile: visit(expert, first row on the rank, rows).
  template <class Visit>
  void for_each_run(const Place& at, const Tile& tile, Visit visit) const {
    for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
      const int expert = shape_.first_expert(at.rank) + local;
      for (const RowRange& range : at.exchange.rows().tile_rows(tile, expert)) {
        if (range.count > 0) visit(expert, at.exchange.first_row(expert) + range.first, range.count);
      }
    }
  }
  // Piece `part` of `count` things among the compute engine's workers.
  RowRange piece(std::int64_t count, int part) const {
    const int parts = plan_.shape().compute_workers;
    const std::int64_t begin = count * part / parts;
    return {begin, count * (part + 1) / parts - begin};
  }
  // Rows [piece) of `gradient` (m x n, row-major) += a^T b, a: rows x m (from column a_first, lda), b: rows x n; =
  // where this is the step's first micro-batch.
  void add_outer(const Place& at, const RowRange& piece, std::int64_t rows, const float* a, std::ptrdiff_t lda,
                 const float* b, std::ptrdiff_t ldb, int n, float* gradient) const;

  const MoeShape& shape_;
  int batch_tokens_;
  const StepPlan& plan_;
  const Tiling& tiling_;
  const std::vector<ExchangePlan>& exchanges_;
  const std::vector<Routing>& routings_;
  Workspace& workspace_;
  GemmPath gemm_path_;
};

}  // namespace moescope::reference

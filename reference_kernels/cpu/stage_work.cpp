// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cpu/stage_work.h"

#include "reference_kernels/cpu/activation.h"

namespace moescope::reference {

StageWork::Place StageWork::place(int round, int rank) {
  const int step = round / plan_.rounds();
  const Round& of_step = plan_.round(round % plan_.rounds());
  const StepShape& shape = plan_.shape();
  const auto exchange =
      static_cast<std::size_t>((step * shape.micro_batches + of_step.micro_batch) * shape.layers + of_step.layer);
  const auto buffers = static_cast<std::size_t>(workspace_.map().layer(of_step.micro_batch, of_step.layer));
  return {step, rank, of_step, exchanges_[exchange], routings_[exchange], workspace_.rank(rank).layer[buffers]};
}

LayerBuffers& StageWork::buffers(const Place& at, int rank) {
  return workspace_.rank(rank)
      .layer[static_cast<std::size_t>(workspace_.map().layer(at.round.micro_batch, at.round.layer))];
}

float* StageWork::state(const Place& at, int rank, int boundary, bool gradient) {
  RankBuffers& of_rank = workspace_.rank(rank);
  const std::ptrdiff_t first = std::ptrdiff_t{at.round.micro_batch} * batch_tokens_ * shape_.hidden;
  const auto step = static_cast<std::size_t>(at.step);
  if (boundary == 0) return (gradient ? of_rank.gradient_input[step] : of_rank.input).data() + first;
  if (boundary == plan_.shape().layers)
    return (gradient ? of_rank.gradient_output : of_rank.output[step]).data() + first;
  const auto index = static_cast<std::size_t>(workspace_.map().state(at.round.micro_batch, boundary));
  return (gradient ? of_rank.gradient_state : of_rank.state)[index].data();
}

const float* StageWork::exchanged(const Place& at, int rank) {
  if (at.backward()) return state(at, rank, at.layer() + 1, true);
  return plan_.shape().dense ? buffers(at, rank).dense_in.data() : state(at, rank, at.layer(), false);
}

void StageWork::run(int round, int rank, Task task, WireMeter* meter) {
  const Place at = place(round, rank);
  const Tile tile = static_cast<int>(task.stage) < kMoeStageCount ? tiling_.tile(task) : Tile{};
  const bool backward = at.backward();
  switch (task.stage) {
    case Stage::kDispatch:
      return pull_rows(at, tile, meter);
    case Stage::kL1:
      return backward ? l2_gradient(at, tile) : l1(at, tile);
    case Stage::kAct:
      return backward ? activation_gradient(at, tile) : activate(at, tile);
    case Stage::kL2:
      return backward ? l1_gradient(at, tile) : l2(at, tile);
    case Stage::kCombine:
      return pull_results(at, task.part, tile, meter);
    case Stage::kDense:
      return backward ? dense_gradient(at, task.part) : dense(at, task.part);
    case Stage::kShared:
      return backward ? shared_gradient(at, task.part) : shared(at, task.part);
    case Stage::kWeightGradL2:
      return l2_weight_gradient(at, task.part);
    case Stage::kWeightGradL1:
      return l1_weight_gradient(at, task.part);
    case Stage::kWeightGradSide:
      return side_weight_gradient(at, task.part);
    case Stage::kAllReduce:
      return all_reduce(at, meter);
  }
}

void StageWork::l1(const Place& at, const Tile& tile) {
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{shape_.intermediate};
  const Columns columns = columns_of(tile.slice, tile.slices, shape_.intermediate);
  const GemmSlice slice{columns.begin, columns.end, 0, shape_.hidden};
  for_each_run(at, tile, [&](int expert, std::int64_t first, std::int64_t rows) {
    thread_local std::vector<float> widened;  // several workers of a rank may be here at once
    if (at.here.received.dtype() != Dtype::kFp32)
      widened.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape_.hidden));
    const float* in = at.here.received.read(first, rows, widened.data());
    const ExpertWeights& weights = workspace_.weights(at.layer(), expert);
    float* middle = at.here.middle.data() + first * stride;
    gemm(gemm_path_, static_cast<int>(rows), in, shape_.hidden, weights.gate, slice, middle, stride);
    gemm(gemm_path_, static_cast<int>(rows), in, shape_.hidden, weights.up, slice, middle + shape_.intermediate,
         stride);
  });
}

void StageWork::activate(const Place& at, const Tile& tile) {
  const int width = shape_.intermediate;
  const Columns columns = columns_of(tile.slice, tile.slices, width);
  for_each_run(at, tile, [&](int, std::int64_t first, std::int64_t rows) {
    weighted_swiglu(static_cast<int>(rows), columns.count(), at.here.row_weight.data() + first,
                    at.here.middle.data() + first * 2 * width + columns.begin, width, 2 * std::ptrdiff_t{width},
                    at.here.activated.data() + first * width + columns.begin, width);
  });
}

void StageWork::l2(const Place& at, const Tile& tile) {
  const int width = shape_.intermediate;
  const bool direct = at.here.result.dtype() == Dtype::kFp32;
  GemmSlice slice{0, shape_.hidden, 0, width};
  if (tile.result_columns) {
    const Columns columns = columns_of(tile.slice, tile.slices, shape_.hidden);
    slice.n_begin = columns.begin, slice.n_end = columns.end;
  } else {
    const Columns columns = columns_of(tile.slice, tile.slices, width);
    slice.k_begin = columns.begin, slice.k_end = columns.end;
  }
  const bool sums_whole = slice.k_end == width;
  for_each_run(at, tile, [&](int expert, std::int64_t first, std::int64_t rows) {
    float* out = direct ? at.here.result.floats(first) : at.here.sums.data() + first * shape_.hidden;
    gemm(gemm_path_, static_cast<int>(rows), at.here.activated.data() + first * width, width,
         workspace_.weights(at.layer(), expert).down, slice, out, shape_.hidden);
    for (std::int64_t i = 0; i < rows && !direct && sums_whole; ++i) {
      at.here.result.store(first + i, out + i * shape_.hidden, slice.n_begin, slice.n_end);
    }
  });
}

}  // namespace moescope::reference

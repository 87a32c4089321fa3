// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cpu/stage_work.h"

#include <algorithm>

#include "reference_kernels/cpu/activation.h"

namespace moescope::reference {

const std::vector<float>& StageWork::layer_input(int round, int rank) const {
  const int layer = round % shape_.layers;
  const RankBuffers& buffers = workspace_.rank(rank);
  return layer == 0 ? buffers.input : buffers.layer[layer % 2];
}

std::vector<float>& StageWork::layer_output(int round, int rank) {
  const int layer = round % shape_.layers;
  RankBuffers& buffers = workspace_.rank(rank);
  if (layer == shape_.layers - 1) return buffers.output[static_cast<std::size_t>(round / shape_.layers)];
  return buffers.layer[(layer + 1) % 2];
}

void StageWork::run(int round, int rank, Task task, WireMeter* meter) {
  switch (task.stage) {
    case Stage::kDispatch:
      return dispatch(round, rank, task.wave, meter);
    case Stage::kL1:
      return l1(round, rank, task.wave);
    case Stage::kAct:
      return activate(round, rank, task.wave);
    case Stage::kL2:
      return l2(round, rank, task.wave);
    case Stage::kCombine:
      return combine(round, rank, task.wave, meter);
  }
}

void StageWork::dispatch(int round, int rank, int wave, WireMeter* meter) {
  RankBuffers& here = workspace_.rank(rank);
  const Routing& routing = routings_[static_cast<std::size_t>(round)];
  const auto row_bytes = static_cast<std::int64_t>(bytes_per_element(here.received.dtype())) * shape_.hidden;
  // Peers in turn, beginning with the next one, so that not all ranks pull from the same rank at once.
  for (int local = waves_.begin(wave); local < waves_.end(wave); ++local) {
    const int expert = shape_.first_expert(rank) + local;
    for (int i = 1; i <= shape_.ranks; ++i) {
      const int source = (rank + i) % shape_.ranks;
      const std::vector<float>& tokens = layer_input(round, source);
      std::int64_t row = plan(round).first_row(source, expert);
      for (std::int32_t entry : plan(round).sent(source, expert)) {
        const auto token = static_cast<std::size_t>(entry / shape_.top_k);
        here.received.store(row, tokens.data() + token * static_cast<std::size_t>(shape_.hidden));
        const std::size_t first = static_cast<std::size_t>(source) * static_cast<std::size_t>(shape_.tokens) *
                                  static_cast<std::size_t>(shape_.top_k);
        here.row_weight[static_cast<std::size_t>(row)] = routing.weight[first + static_cast<std::size_t>(entry)];
        ++row;
        if (source != rank && meter != nullptr) meter->sent(row_bytes);
      }
    }
  }
}

void StageWork::l1(int round, int rank, int wave) {
  RankBuffers& here = workspace_.rank(rank);
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{shape_.intermediate};
  for (int local = waves_.begin(wave); local < waves_.end(wave); ++local) {
    const int expert = shape_.first_expert(rank) + local;
    const std::int64_t first = plan(round).first_row(0, expert), rows = plan(round).rows(expert);
    if (rows == 0) continue;
    gemm(gemm_path_, static_cast<int>(rows), here.received.read(first, rows, here.scratch.data()), shape_.hidden,
         workspace_.weights(round % shape_.layers, expert).gate_up, here.middle.data() + first * stride, stride);
  }
}

void StageWork::activate(int round, int rank, int wave) {
  RankBuffers& here = workspace_.rank(rank);
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{shape_.intermediate};
  const int first_expert = shape_.first_expert(rank) + waves_.begin(wave);
  const std::int64_t first = plan(round).first_row(0, first_expert);
  std::int64_t rows = 0;
  for (int i = 0; i < waves_.size(wave); ++i) rows += plan(round).rows(first_expert + i);
  if (rows == 0) return;
  weighted_swiglu(static_cast<int>(rows), shape_.intermediate, here.row_weight.data() + first,
                  here.middle.data() + first * stride, stride);
}

void StageWork::l2(int round, int rank, int wave) {
  RankBuffers& here = workspace_.rank(rank);
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{shape_.intermediate};
  for (int local = waves_.begin(wave); local < waves_.end(wave); ++local) {
    const int expert = shape_.first_expert(rank) + local;
    const std::int64_t first = plan(round).first_row(0, expert), rows = plan(round).rows(expert);
    if (rows == 0) continue;
    const bool direct = here.result.dtype() == Dtype::kFp32;
    float* out = direct ? here.result.floats(first) : here.scratch.data();
    gemm(gemm_path_, static_cast<int>(rows), here.middle.data() + first * stride, stride,
         workspace_.weights(round % shape_.layers, expert).down, out, shape_.hidden);
    for (std::int64_t i = 0; i < rows && !direct; ++i) here.result.store(first + i, out + i * shape_.hidden);
  }
}

void StageWork::combine(int round, int rank, int wave, WireMeter* meter) {
  RankBuffers& here = workspace_.rank(rank);
  const auto row_bytes = static_cast<std::int64_t>(bytes_per_element(here.slots.dtype())) * shape_.hidden;
  for (int i = 1; i <= shape_.ranks; ++i) {
    const int owner = (rank + i) % shape_.ranks;
    for (int local = waves_.begin(wave); local < waves_.end(wave); ++local) {
      const int expert = shape_.first_expert(owner) + local;
      std::int64_t row = plan(round).first_row(rank, expert);
      for (std::int32_t entry : plan(round).sent(rank, expert)) {
        here.slots.copy(entry, workspace_.rank(owner).result, row++);
        if (owner != rank && meter != nullptr) meter->sent(row_bytes);
      }
    }
  }
  // A token is whole once its last slot is there: its results are added in slot order, never in order of arrival.
  const std::vector<float>& in = layer_input(round, rank);
  std::vector<float>& out = layer_output(round, rank);
  const auto hidden = static_cast<std::size_t>(shape_.hidden);
  std::vector<float> widened(here.slots.dtype() == Dtype::kFp32 ? 0 : hidden), sum(hidden);
  for (std::int32_t token : plan(round).completed(rank, wave)) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int slot = 0; slot < shape_.top_k; ++slot) {
      const float* result = here.slots.read(std::int64_t{token} * shape_.top_k + slot, 1, widened.data());
      for (std::size_t i = 0; i < hidden; ++i) sum[i] += result[i];
    }
    const std::size_t first = static_cast<std::size_t>(token) * hidden;
    for (std::size_t i = 0; i < hidden; ++i) out[first + i] = in[first + i] + sum[i];
  }
}

}  // namespace moescope::reference

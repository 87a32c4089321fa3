// SPDX-License-Identifier: Apache-2.0
// What a layer does beside its routed experts, on a rank's own tokens: two dense projections x + (x A) B before them,
// shared experts next to them, and the all-reduce of the gradients of both.
#include <algorithm>

#include "reference_kernels/cpu/activation.h"
#include "reference_kernels/cpu/stage_work.h"
#include "reference_kernels/layer_volume.h"

namespace moescope::reference {

void StageWork::dense(const Place& at, int part) {
  const RowRange tokens = piece(batch_tokens_, part);
  const int rows = static_cast<int>(tokens.count), h = shape_.hidden, m = shape_.dense;
  const DenseWeights& weights = workspace_.dense(at.layer());
  const float* in = state(at, at.rank, at.layer(), false) + tokens.first * h;
  float *middle = at.here.dense_middle.data() + tokens.first * m, *out = at.here.dense_in.data() + tokens.first * h;
  gemm(gemm_path_, rows, in, h, weights.in, middle, m);
  gemm(gemm_path_, rows, middle, m, weights.out, out, h);
  for (std::int64_t i = 0; i < tokens.count * h; ++i) out[i] = in[i] + out[i];
}

void StageWork::shared(const Place& at, int part) {
  const RowRange tokens = piece(batch_tokens_, part);
  const int rows = static_cast<int>(tokens.count), h = shape_.hidden,
            width = shape_.shared_experts * shape_.intermediate;
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{width};
  const ExpertWeights& weights = workspace_.shared(at.layer());
  const float* in = exchanged(at, at.rank) + tokens.first * h;
  float *middle = at.here.shared_middle.data() + tokens.first * stride,
        *active = at.here.shared_active.data() + tokens.first * width;
  const std::vector<float> ones(static_cast<std::size_t>(tokens.count), 1.0f);
  gemm(gemm_path_, rows, in, h, weights.gate, {0, width, 0, h}, middle, stride);
  gemm(gemm_path_, rows, in, h, weights.up, {0, width, 0, h}, middle + width, stride);
  weighted_swiglu(rows, width, ones.data(), middle, width, stride, active, width);
  gemm(gemm_path_, rows, active, width, weights.down, at.here.shared_result.data() + tokens.first * h, h);
}

void StageWork::dense_gradient(const Place& at, int part) {
  const RowRange tokens = piece(batch_tokens_, part);
  const int rows = static_cast<int>(tokens.count), h = shape_.hidden, m = shape_.dense;
  const DenseWeights& weights = workspace_.dense(at.layer());
  const float* by_out = at.here.gradient_dense_in.data() + tokens.first * h;
  float *middle = at.here.gradient_dense_middle.data() + tokens.first * m,
        *by_in = state(at, at.rank, at.layer(), true) + tokens.first * h;
  gemm(gemm_path_, rows, by_out, h, weights.out_t, middle, m);
  gemm(gemm_path_, rows, middle, m, weights.in_t, by_in, h);
  for (std::int64_t i = 0; i < tokens.count * h; ++i) by_in[i] = by_out[i] + by_in[i];
}

void StageWork::shared_gradient(const Place& at, int part) {
  const RowRange tokens = piece(batch_tokens_, part);
  const int rows = static_cast<int>(tokens.count), h = shape_.hidden,
            width = shape_.shared_experts * shape_.intermediate;
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{width};
  const ExpertWeights& weights = workspace_.shared(at.layer());
  const float* by_out = exchanged(at, at.rank) + tokens.first * h;
  float *active = at.here.gradient_shared_active.data() + tokens.first * width,
        *middle = at.here.gradient_shared_middle.data() + tokens.first * stride,
        *by_in = at.here.gradient_shared_result.data() + tokens.first * h;
  const std::vector<float> ones(static_cast<std::size_t>(tokens.count), 1.0f);
  gemm(gemm_path_, rows, by_out, h, weights.down_t, active, width);
  weighted_swiglu_gradient(rows, width, ones.data(), at.here.shared_middle.data() + tokens.first * stride, active,
                           width, middle);
  gemm(gemm_path_, rows, middle, stride, weights.gate_t, {0, h, 0, width}, by_in, h);
  gemm(gemm_path_, rows, middle + width, stride, weights.up_t, {0, h, 0, width, true}, by_in, h);
}

void StageWork::side_weight_gradient(const Place& at, int part) {
  LayerGradients& gradients = workspace_.rank(at.rank).gradients[static_cast<std::size_t>(at.layer())];
  const int h = shape_.hidden, m = shape_.dense, width = shape_.shared_experts * shape_.intermediate;
  if (m > 0) {
    add_outer(at, piece(h, part), batch_tokens_, state(at, at.rank, at.layer(), false), h,
              at.here.gradient_dense_middle.data(), m, m, gradients.dense.in.data());
    add_outer(at, piece(m, part), batch_tokens_, at.here.dense_middle.data(), m, at.here.gradient_dense_in.data(), h, h,
              gradients.dense.out.data());
  }
  if (width > 0) {
    const float* in = m > 0 ? at.here.dense_in.data() : state(at, at.rank, at.layer(), false);
    const float* middle = at.here.gradient_shared_middle.data();
    add_outer(at, piece(h, part), batch_tokens_, in, h, middle, 2 * std::ptrdiff_t{width}, width,
              gradients.shared.gate.data());
    add_outer(at, piece(h, part), batch_tokens_, in, h, middle + width, 2 * std::ptrdiff_t{width}, width,
              gradients.shared.up.data());
    add_outer(at, piece(width, part), batch_tokens_, at.here.shared_active.data(), width, exchanged(at, at.rank), h, h,
              gradients.shared.down.data());
  }
}

// Every rank sums all ranks' gradients in the order of ranks, so all have the same bits. The wire carries what a ring
// would: 2 (n - 1) / n of them.
void StageWork::all_reduce(const Place& at, WireMeter* meter) {
  const auto layer = static_cast<std::size_t>(at.layer());
  std::vector<float>& sum = workspace_.rank(at.rank).gradients[layer].reduced;
  for (int rank = 0; rank < shape_.ranks; ++rank) {
    const LayerGradients& theirs = workspace_.rank(rank).gradients[layer];
    std::size_t i = 0;
    for (const std::vector<float>* part :
         {&theirs.shared.gate, &theirs.shared.up, &theirs.shared.down, &theirs.dense.in, &theirs.dense.out}) {
      for (const float value : *part) {
        sum[i] = rank == 0 ? value : sum[i] + value;
        ++i;
      }
    }
  }
  if (meter != nullptr) meter->sent(all_reduce_bytes(shape_));
}

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
// The experts' backward pass. With a = silu(g) u w, y = a W_down and dy the gradient by y: da = dy W_down^T,
// dg = da w u silu'(g), du = da w silu(g), dx = dg W_gate^T + du W_up^T; and of the weights a^T dy, x^T dg, x^T du.
#include <algorithm>

#include "reference_kernels/cpu/activation.h"
#include "reference_kernels/cpu/stage_work.h"

namespace moescope::reference {
namespace {

// Rows of one expert as floats; the buffer is the calling thread's, one for each `which`.
const float* widened(const WireRows& rows, std::int64_t first, std::int64_t count, int width, int which) {
  thread_local std::vector<float> scratch[2];
  if (rows.dtype() != Dtype::kFp32)
    scratch[which].resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(width));
  return rows.read(first, count, scratch[which].data());
}

}  // namespace

void StageWork::l2_gradient(const Place& at, const Tile& tile) {
  const int width = shape_.intermediate;
  const Columns columns = columns_of(tile.slice, tile.result_columns ? 1 : tile.slices, width);
  for_each_run(at, tile, [&](int expert, std::int64_t first, std::int64_t rows) {
    gemm(gemm_path_, static_cast<int>(rows), widened(at.here.gradient_received, first, rows, shape_.hidden, 0),
         shape_.hidden, workspace_.weights(at.layer(), expert).down_t, {columns.begin, columns.end, 0, shape_.hidden},
         at.here.gradient_activated.data() + first * width, width);
  });
}

void StageWork::activation_gradient(const Place& at, const Tile& tile) {
  const int width = shape_.intermediate;
  const Columns columns = columns_of(tile.slice, tile.slices, width);
  for_each_run(at, tile, [&](int, std::int64_t first, std::int64_t rows) {
    weighted_swiglu_gradient(static_cast<int>(rows), columns.count(), at.here.row_weight.data() + first,
                             at.here.middle.data() + first * 2 * width + columns.begin,
                             at.here.gradient_activated.data() + first * width + columns.begin, width,
                             at.here.gradient_middle.data() + first * 2 * width + columns.begin);
  });
}

void StageWork::l1_gradient(const Place& at, const Tile& tile) {
  const int width = shape_.intermediate, hidden = shape_.hidden;
  const std::ptrdiff_t stride = 2 * std::ptrdiff_t{width};
  GemmSlice slice{0, hidden, 0, width};
  if (tile.result_columns) {
    const Columns columns = columns_of(tile.slice, tile.slices, hidden);
    slice.n_begin = columns.begin, slice.n_end = columns.end;
  } else {
    const Columns columns = columns_of(tile.slice, tile.slices, width);
    slice.k_begin = columns.begin, slice.k_end = columns.end;
  }
  const bool sums_whole = slice.k_end == width;
  for_each_run(at, tile, [&](int expert, std::int64_t first, std::int64_t rows) {
    // Two sums, each in the order of the inner width whatever the slices, added at the end.
    const ExpertWeights& weights = workspace_.weights(at.layer(), expert);
    const float* gradient = at.here.gradient_middle.data() + first * stride;
    float *gate = at.here.sums.data() + first * hidden, *up = at.here.sums_up.data() + first * hidden;
    gemm(gemm_path_, static_cast<int>(rows), gradient, stride, weights.gate_t, slice, gate, hidden);
    gemm(gemm_path_, static_cast<int>(rows), gradient + width, stride, weights.up_t, slice, up, hidden);
    for (std::int64_t i = 0; i < rows && sums_whole; ++i) {
      float* row = gate + i * hidden;
      for (int n = slice.n_begin; n < slice.n_end; ++n) row[n] += up[i * hidden + n];
      at.here.result.store(first + i, row, slice.n_begin, slice.n_end);
    }
  });
}

void StageWork::add_outer(const Place& at, const RowRange& piece, std::int64_t rows, const float* a, std::ptrdiff_t lda,
                          const float* b, std::ptrdiff_t ldb, int n, float* gradient) const {
  if (piece.count == 0) return;
  const bool add = at.round.micro_batch > 0;
  float* first = gradient + piece.first * n;
  if (rows == 0) {
    if (!add) std::fill_n(first, piece.count * n, 0.0f);
    return;
  }
  thread_local std::vector<float> transposed;
  transposed.resize(static_cast<std::size_t>(piece.count * rows));
  for (std::int64_t m = 0; m < piece.count; ++m) {
    for (std::int64_t row = 0; row < rows; ++row)
      transposed[static_cast<std::size_t>(m * rows + row)] = a[row * lda + piece.first + m];
  }
  const PackedMatrix packed(static_cast<int>(rows), n, [&](int row, int column) { return b[row * ldb + column]; });
  gemm(gemm_path_, static_cast<int>(piece.count), transposed.data(), rows, packed,
       {0, n, 0, static_cast<int>(rows), add}, first, n);
}

void StageWork::l2_weight_gradient(const Place& at, int part) {
  const int width = shape_.intermediate;
  for (int local = 0; local < shape_.local_experts(); ++local) {
    const int expert = shape_.first_expert(at.rank) + local;
    const std::int64_t first = at.exchange.first_row(expert), rows = at.exchange.rows().rows(expert);
    ExpertGradients& gradients = workspace_.rank(at.rank)
                                     .gradients[static_cast<std::size_t>(at.layer())]
                                     .experts[static_cast<std::size_t>(local)];
    add_outer(at, piece(width, part), rows, at.here.activated.data() + first * width, width,
              widened(at.here.gradient_received, first, rows, shape_.hidden, 0), shape_.hidden, shape_.hidden,
              gradients.down.data());
  }
}

void StageWork::l1_weight_gradient(const Place& at, int part) {
  const int width = shape_.intermediate;
  for (int local = 0; local < shape_.local_experts(); ++local) {
    const int expert = shape_.first_expert(at.rank) + local;
    const std::int64_t first = at.exchange.first_row(expert), rows = at.exchange.rows().rows(expert);
    ExpertGradients& gradients = workspace_.rank(at.rank)
                                     .gradients[static_cast<std::size_t>(at.layer())]
                                     .experts[static_cast<std::size_t>(local)];
    const float* in = widened(at.here.received, first, rows, shape_.hidden, 1);
    const float* middle = at.here.gradient_middle.data() + first * 2 * width;
    add_outer(at, piece(shape_.hidden, part), rows, in, shape_.hidden, middle, 2 * std::ptrdiff_t{width}, width,
              gradients.gate.data());
    add_outer(at, piece(shape_.hidden, part), rows, in, shape_.hidden, middle + width, 2 * std::ptrdiff_t{width}, width,
              gradients.up.data());
  }
}

}  // namespace moescope::reference

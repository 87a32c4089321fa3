// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cpu/gemm.h"

#include <algorithm>
#include <cmath>

#include "reference_kernels/counter_random.h"
#include "reference_kernels/cpu/micro_kernel.h"

namespace moescope::reference {
namespace {

constexpr int kRowBlock = 72;     // rows of A that stay in the second-level cache while the panels pass
constexpr int kDepthBlock = 384;  // of a panel: 24 KiB, stays in the first-level cache while the rows pass

MicroKernel micro_kernel(GemmPath path) {
#if defined(__x86_64__)
  if (path == GemmPath::kAvx2) return micro_kernel_avx2;
#endif
  (void)path;
  return micro_kernel_portable;
}

}  // namespace

std::string_view name(GemmPath path) {
  return path == GemmPath::kAvx2 ? "avx2" : "portable";
}

bool supported(GemmPath path) {
  if (path == GemmPath::kPortable) return true;
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

GemmPath best_gemm_path() {
  return supported(GemmPath::kAvx2) ? GemmPath::kAvx2 : GemmPath::kPortable;
}

void gemm(GemmPath path, int rows, const float* a, std::ptrdiff_t lda, const PackedMatrix& b, const GemmSlice& slice,
          float* c, std::ptrdiff_t ldc) {
  constexpr int kPanel = PackedMatrix::kPanel;
  const MicroKernel kernel = micro_kernel(path);
  const int width = slice.n_end - slice.n_begin;
  for (int row = 0; row < rows && slice.k_end == 0 && !slice.add; ++row)
    std::fill_n(c + row * ldc + slice.n_begin, width, 0.0f);
  for (int block = 0; block < rows; block += kRowBlock) {
    const int block_end = std::min(rows, block + kRowBlock);
    for (int k = slice.k_begin; k < slice.k_end; k += kDepthBlock) {
      const int depth = std::min(kDepthBlock, slice.k_end - k);
      for (int p = slice.n_begin / kPanel; p * kPanel < slice.n_end; ++p) {
        const float* panel = b.panel(p) + static_cast<std::ptrdiff_t>(k) * kPanel;
        const int columns = std::min(kPanel, slice.n_end - p * kPanel);
        for (int row = block; row < block_end; row += kMicroRows) {
          const int height = std::min(kMicroRows, block_end - row);
          const float* a_rows = a + row * lda + k;
          float* c_rows = c + row * ldc + p * kPanel;
          if (columns == kPanel) {
            kernel(height, depth, a_rows, lda, panel, c_rows, ldc, k > 0 || slice.add);
            continue;
          }
          float edge[kMicroRows * kPanel] = {};  // the last panel sticks out: work beside C, copy what belongs to it
          for (int i = 0; i < height && (k > 0 || slice.add); ++i)
            std::copy_n(c_rows + i * ldc, columns, edge + i * kPanel);
          kernel(height, depth, a_rows, lda, panel, edge, kPanel, k > 0 || slice.add);
          for (int i = 0; i < height; ++i) std::copy_n(edge + i * kPanel, columns, c_rows + i * ldc);
        }
      }
    }
  }
}

bool gemm_self_check(GemmPath path) {
  constexpr int kRows = 13, kDepth = 391, kColumns = 37;
  const CounterRandom random(1, 0x6ee);
  const auto b_at = [&](int k, int n) { return random.symmetric(static_cast<std::uint64_t>(k * kColumns + n)); };
  const PackedMatrix b(kDepth, kColumns, b_at);
  std::vector<float> a(kRows * kDepth), c(kRows * kColumns);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = random.symmetric(1000000 + i);
  gemm(path, kRows, a.data(), kDepth, b, c.data(), kColumns);
  for (int row = 0; row < kRows; ++row) {
    for (int n = 0; n < kColumns; ++n) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < kDepth; ++k) {
        const double product = double{a[static_cast<std::size_t>(row * kDepth + k)]} * double{b_at(k, n)};
        sum += product;
        magnitude += std::fabs(product);
      }
      // One rounding a step, each at most half an ulp of a partial sum.
      const double bound = kDepth * 0x1p-24 * magnitude;
      if (!(std::fabs(sum - double{c[static_cast<std::size_t>(row * kColumns + n)]}) <= bound)) return false;
    }
  }
  return true;
}

}  // namespace moescope::reference

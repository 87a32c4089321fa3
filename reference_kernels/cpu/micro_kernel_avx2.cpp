// SPDX-License-Identifier: Apache-2.0
// Six rows by two vectors of eight: twelve sums, two of B and one of A fill the sixteen registers. Chosen at run time;
// only these functions are compiled for the wider instruction set.
#include "reference_kernels/cpu/micro_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace moescope::reference {
namespace {

template <int Rows>
__attribute__((target("avx2,fma"))) void rows_by_panel(int depth, const float* a, std::ptrdiff_t lda,
                                                       const float* panel, float* c, std::ptrdiff_t ldc, bool resume) {
  // Every loop over rows is unrolled, or the sums would live in memory.
  __m256 low[Rows], high[Rows];
#pragma GCC unroll 6
  for (int row = 0; row < Rows; ++row) {
    low[row] = resume ? _mm256_loadu_ps(c + row * ldc) : _mm256_setzero_ps();
    high[row] = resume ? _mm256_loadu_ps(c + row * ldc + 8) : _mm256_setzero_ps();
  }
  for (int k = 0; k < depth; ++k) {
    const __m256 b_low = _mm256_loadu_ps(panel);
    const __m256 b_high = _mm256_loadu_ps(panel + 8);
    panel += 16;
#pragma GCC unroll 6
    for (int row = 0; row < Rows; ++row) {
      const __m256 a_k = _mm256_broadcast_ss(a + row * lda + k);
      low[row] = _mm256_fmadd_ps(a_k, b_low, low[row]);
      high[row] = _mm256_fmadd_ps(a_k, b_high, high[row]);
    }
  }
#pragma GCC unroll 6
  for (int row = 0; row < Rows; ++row) {
    _mm256_storeu_ps(c + row * ldc, low[row]);
    _mm256_storeu_ps(c + row * ldc + 8, high[row]);
  }
}

}  // namespace

void micro_kernel_avx2(int rows, int depth, const float* a, std::ptrdiff_t lda, const float* panel, float* c,
                       std::ptrdiff_t ldc, bool resume) {
  switch (rows) {
    case 1:
      return rows_by_panel<1>(depth, a, lda, panel, c, ldc, resume);
    case 2:
      return rows_by_panel<2>(depth, a, lda, panel, c, ldc, resume);
    case 3:
      return rows_by_panel<3>(depth, a, lda, panel, c, ldc, resume);
    case 4:
      return rows_by_panel<4>(depth, a, lda, panel, c, ldc, resume);
    case 5:
      return rows_by_panel<5>(depth, a, lda, panel, c, ldc, resume);
    case 6:
      return rows_by_panel<6>(depth, a, lda, panel, c, ldc, resume);
    default:
      return;
  }
}

}  // namespace moescope::reference
#endif

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The inner kernels behind gemm(): up to six rows times one panel of 16 columns, k in [0, depth). `resume`: continue
// the sums that stand in c, so that a long k may be cut into blocks without changing a bit.

#include <cstddef>

namespace moescope::reference {

using MicroKernel = void (*)(int rows, int depth, const float* a, std::ptrdiff_t lda, const float* panel, float* c,
                             std::ptrdiff_t ldc, bool resume);
inline constexpr int kMicroRows = 6;

void micro_kernel_portable(int rows, int depth, const float* a, std::ptrdiff_t lda, const float* panel, float* c,
                           std::ptrdiff_t ldc, bool resume);
#if defined(__x86_64__)
void micro_kernel_avx2(int rows, int depth, const float* a, std::ptrdiff_t lda, const float* panel, float* c,
                       std::ptrdiff_t ldc, bool resume);
#endif

}  // namespace moescope::reference

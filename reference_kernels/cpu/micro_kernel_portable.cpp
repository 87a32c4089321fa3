// SPDX-License-Identifier: Apache-2.0
// Plain C++ with std::fma: right on every machine, fast only where the compiler may use the instruction.
#include <cmath>

#include "reference_kernels/cpu/micro_kernel.h"

namespace moescope::reference {

void micro_kernel_portable(int rows, int depth, const float* a, std::ptrdiff_t lda, const float* panel, float* c,
                           std::ptrdiff_t ldc, bool resume) {
  constexpr int kColumns = 16;
  for (int row = 0; row < rows; ++row) {
    const float* a_row = a + row * lda;
    float* c_row = c + row * ldc;
    float sum[kColumns] = {};
    if (resume) {
      for (int n = 0; n < kColumns; ++n) sum[n] = c_row[n];
    }
    for (int k = 0; k < depth; ++k) {
      const float* b = panel + static_cast<std::ptrdiff_t>(k) * kColumns;
      for (int n = 0; n < kColumns; ++n) sum[n] = std::fma(a_row[k], b[n], sum[n]);
    }
    for (int n = 0; n < kColumns; ++n) c_row[n] = sum[n];
  }
}

}  // namespace moescope::reference

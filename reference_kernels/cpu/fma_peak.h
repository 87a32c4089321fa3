#pragma once
// SPDX-License-Identifier: Apache-2.0
// What one core can do at best with the instructions the GEMM uses: the yardstick for its rate and for the bound.

#include "reference_kernels/cpu/gemm.h"

namespace moescope::reference {

// FLOP/s of a register-only loop of fused multiply-adds, best of several short runs (about 10 ms altogether).
double measure_fma_peak(GemmPath path);

}  // namespace moescope::reference

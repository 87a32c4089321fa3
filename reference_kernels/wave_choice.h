#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many waves the local experts should go in: few enough that a wave gives every worker two blocks of L1, the size
// then swept for a full last wave. The rule that public fused kernels use, restated.

#include <string>

#include "reference_kernels/moe_shape.h"

namespace moescope::reference {

struct WaveChoice {
  int experts = 1;  // in a wave, the last one may have fewer
  int waves = 1;
  std::string reason;  // one line
};
// workers: what takes blocks at the same time, such as SMs.
WaveChoice choose_waves(const MoeShape& shape, int workers);

}  // namespace moescope::reference

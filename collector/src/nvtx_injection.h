#pragma once
// SPDX-License-Identifier: Apache-2.0
// Takes the NVTX ranges of the job: attached once to each library that uses NVTX, however many come at once.

#include "collector/src/nvtx_abi.h"

namespace moescope::collector {

// What InitializeInjectionNvtx2 does: 1 attached, 0 not (that library's NVTX then does nothing, for ever).
int attach_nvtx(nvtx::ExportTable export_table);

}  // namespace moescope::collector

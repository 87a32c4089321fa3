// SPDX-License-Identifier: Apache-2.0
// Built several times: libraries of one process that each bring an NVTX of their own.
#ifdef MOESCOPE_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#define PUSH nvtxRangePushA
#define POP nvtxRangePop
#else
#include "tests/collector/preload/nvtx_client.h"
#define PUSH moescope::test::push
#define POP moescope::test::pop
#endif

extern "C" __attribute__((visibility("default"))) void nvtx_library_work(int ranges) {
  for (int i = 0; i < ranges; ++i) {
    PUSH("library");
    POP();
  }
}

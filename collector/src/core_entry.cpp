// SPDX-License-Identifier: Apache-2.0
#include "collector/src/core_entry.h"

#include "collector/src/annotations.h"
#include "collector/src/config.h"
#include "collector/src/doors_seen.h"
#include "collector/src/nvtx_injection.h"
#include "collector/src/session.h"

namespace moescope::collector {
namespace {

Config config_now() noexcept {
  try {
    return read_config(Environment::of_this_process());
  } catch (...) {
    return {};
  }
}

const void* api(std::uint32_t abi) {
  return annotation_table(abi);
}

int nvtx_door(void* export_table) {
  if (!config_now().nvtx) return 0;
  const int attached = attach_nvtx(reinterpret_cast<nvtx::ExportTable>(export_table));
  if (attached != 0) doors_seen.nvtx.fetch_add(1, std::memory_order_relaxed);
  return attached;
}

// Extended payloads are not kept: every slot stays a no-op, the ranges that carry them come through the core module.
int nvtx_extension_door(void*) {
  doors_seen.nvtx_extension.fetch_add(1, std::memory_order_relaxed);
  return 1;
}

// The driver calls this inside cuInit. The process is recorded from here on, so that its file says what is missing.
int cuda_door() {
  if (!config_now().cuda) return 1;
  doors_seen.cuda.fetch_add(1, std::memory_order_relaxed);
  if (Session* session = Session::start()) session->wake();
  return 1;
}

const moescope_core_t kCore = {MOESCOPE_CORE_ABI, api, nvtx_door, nvtx_extension_door, cuda_door, &Session::finish};

}  // namespace
}  // namespace moescope::collector

extern "C" __attribute__((visibility("default"))) const moescope_core_t* moescope_core_entry(
    std::uint32_t abi, std::int64_t image_start_ns) {
  if (abi != MOESCOPE_CORE_ABI) return nullptr;
  moescope::collector::Session::set_image_start(image_start_ns);
  return &moescope::collector::kCore;
}

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The job's side of NVTX made by hand from our own declarations, so that the injection is tried where no toolkit is:
// looks for the tool as the toolkit's header does, once in each library that includes this.

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>

#include "collector/src/nvtx_abi.h"

namespace moescope::test {
namespace {  // hidden in each library, as NVTX's own state is

namespace nvtx = collector::nvtx;

struct Client {
  nvtx::Function core[16] = {}, core2[16] = {};
  nvtx::Function* core_table[17] = {};
  nvtx::Function* core2_table[17] = {};
  int result = -1;
};
Client client;
pthread_once_t client_once = PTHREAD_ONCE_INIT;

int module_functions(int module, nvtx::FunctionTable* table, unsigned* size) {
  if (module == nvtx::kModuleCore) *table = client.core_table;
  if (module == nvtx::kModuleCore2) *table = client.core2_table;
  *size = 16;
  return module == nvtx::kModuleCore || module == nvtx::kModuleCore2;
}
const nvtx::CallbacksTable callbacks = {sizeof(nvtx::CallbacksTable), module_functions};
const void* export_table(std::uint32_t id) {
  return id == nvtx::kCallbacksTable ? &callbacks : nullptr;
}

void initialise() {
  for (unsigned i = 1; i < 16; ++i) {
    client.core_table[i] = &client.core[i];
    client.core2_table[i] = &client.core2[i];
  }
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  void* tool = path != nullptr ? dlopen(path, RTLD_LAZY) : nullptr;
  if (tool == nullptr) return;
  const auto entry = reinterpret_cast<int (*)(nvtx::ExportTable)>(dlsym(tool, "InitializeInjectionNvtx2"));
  if (entry != nullptr) client.result = entry(export_table);
}

template <class Result = void, class... Arguments>
Result call(nvtx::Function (Client::*module)[16], unsigned id, Arguments... arguments) {
  pthread_once(&client_once, initialise);
  const nvtx::Function function = (client.*module)[id];
  if (function == nullptr) return Result();
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

inline int push(const char* text) {
  return call<int>(&Client::core, nvtx::kRangePushA, text);
}
inline int pop() {
  return call<int>(&Client::core, nvtx::kRangePop);
}

}  // namespace
}  // namespace moescope::test

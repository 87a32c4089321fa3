// SPDX-License-Identifier: Apache-2.0
// `nvtx_by_hand ranges N`: NVTX without a toolkit. `nvtx_by_hand libraries FILE...`: loads them and starts NVTX in all
// of them at once. `nvtx_by_hand cuda`: what the driver does in cuInit. `nvtx_by_hand extension`.
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/collector/preload/nvtx_client.h"

using namespace moescope::test;

namespace {

int ranges(int count) {
  nvtx::EventAttributes event{};
  event.version = 3;
  event.size = sizeof event;
  event.message_type = nvtx::kMessageAscii;
  event.message.ascii = "by hand, in a domain";
  const void* domain = call<const void*>(&Client::core2, nvtx::kDomainCreateA, static_cast<const char*>("hand"));
  for (int i = 0; i < count; ++i) {
    if (push("by hand") != 0) return 1;
    if (call<int>(&Client::core2, nvtx::kDomainRangePushEx, domain,
                  static_cast<const nvtx::EventAttributes*>(&event)) != 0)
      return 2;
    if (call<int>(&Client::core2, nvtx::kDomainRangePop, domain) != 0) return 3;
    if (pop() != 0) return 4;
  }
  return client.result == 1 ? 0 : 5;
}

int libraries(int count, char** files) {
  std::vector<void (*)(int)> work;
  for (int i = 0; i < count; ++i) {
    void* library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return 1;
    work.push_back(reinterpret_cast<void (*)(int)>(dlsym(library, "nvtx_library_work")));
  }
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 32; ++t)
    threads.emplace_back([&, t] {
      while (!go) std::this_thread::yield();
      work[static_cast<std::size_t>(t) % work.size()](50);
    });
  go = true;
  for (std::thread& thread : threads) thread.join();
  return 0;
}

int door(const char* name, void* argument) {
  void* tool = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
  if (tool == nullptr) return 1;
  const auto entry = reinterpret_cast<int (*)(void*)>(dlsym(tool, name));
  return entry != nullptr && entry(argument) == 1 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "ranges") return ranges(std::atoi(argv[2]));
  if (mode == "libraries") return libraries(argc - 2, argv + 2);
  if (mode == "cuda") return door("InitializeInjection", nullptr);
  char module_info[256] = {};
  if (mode == "extension") return door("InitializeInjectionNvtxExtension", module_info);
  return 9;
}

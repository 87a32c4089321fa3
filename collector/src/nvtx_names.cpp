// SPDX-License-Identifier: Apache-2.0
#include "collector/src/nvtx_names.h"

#include <map>
#include <mutex>

namespace moescope::collector {
namespace {

struct Names {
  std::map<std::string, NvtxDomain, std::less<>> domains;
  std::map<std::pair<std::uint32_t, std::string>, NvtxString> strings;
};

constinit std::mutex names_lock;

// Never destroyed: the job's own destructors may still use handles.
Names& names() {
  static Names* const all = new Names;
  return *all;
}

}  // namespace

const NvtxDomain* nvtx_domain(std::string_view name) {
  try {
    const std::lock_guard lock(names_lock);
    auto& domains = names().domains;
    const auto known = domains.find(name);
    if (known != domains.end()) return &known->second;
    const auto id = static_cast<std::uint32_t>(domains.size() + 1);
    return &domains.emplace(name, NvtxDomain{id, std::string(name)}).first->second;
  } catch (...) {
    return nullptr;
  }
}

const NvtxString* nvtx_string(const NvtxDomain* domain, std::string_view text) {
  try {
    const std::lock_guard lock(names_lock);
    const std::uint32_t id = domain == nullptr ? 0 : domain->id;
    return &names().strings.try_emplace({id, std::string(text)}, NvtxString{std::string(text)}).first->second;
  } catch (...) {
    return nullptr;
  }
}

void lock_nvtx_names() {
  names_lock.lock();
}
void unlock_nvtx_names() {
  names_lock.unlock();
}

}  // namespace moescope::collector

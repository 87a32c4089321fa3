// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace moescope {

std::string readable_kernel_name(std::string_view raw) {
  const std::string name(raw);
  // The demangler recurses on the name, so a hostile one could exhaust the stack; real ones stay far below this.
  constexpr std::size_t kLongest = 16 * 1024;
  if (!raw.starts_with("_Z") || raw.size() > kLongest) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

}  // namespace moescope

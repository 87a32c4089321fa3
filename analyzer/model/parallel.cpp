// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/parallel.h"

#include <cstdlib>

namespace moescope {

std::size_t thread_count() {
  if (const char* asked = std::getenv("MOESCOPE_THREADS"))
    if (const long threads = std::strtol(asked, nullptr, 10); threads > 0)
      return std::min<std::size_t>(static_cast<std::size_t>(threads), 1024);
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace moescope

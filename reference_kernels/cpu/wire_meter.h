#pragma once
// SPDX-License-Identifier: Apache-2.0
// Told of every row that crosses from another rank.

#include <cstdint>

namespace moescope::reference {

class WireMeter {
 public:
  virtual ~WireMeter() = default;
  virtual void sent(std::int64_t bytes) = 0;
};

}  // namespace moescope::reference

#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the name of an NCCL or RCCL kernel says of its collective, in the spellings of all their generations.

#include <optional>
#include <string>
#include <string_view>

namespace moescope {

struct NcclKernel {
  std::string op;         // "AllReduce", "SendRecv"; empty where the kernel serves any (ncclDevKernel_Generic)
  std::string algorithm;  // "ring", "tree", "nvls", ...; empty unknown
  std::string protocol;   // "simple", "ll", "ll128"; empty unknown
};

// nullopt: not such a kernel.
std::optional<NcclKernel> nccl_kernel(std::string_view name);

}  // namespace moescope

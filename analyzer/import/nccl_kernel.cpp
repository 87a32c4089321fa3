// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nccl_kernel.h"

#include <algorithm>
#include <cctype>

namespace moescope {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// The first that the name has, as it is written here.
template <std::size_t N>
std::string first_of(std::string_view lowered, const std::string_view (&words)[N]) {
  for (const std::string_view word : words)
    if (contains(lowered, lower(word))) return std::string(word);
  return {};
}

constexpr std::string_view kOps[] = {"AllReduce", "ReduceScatter", "AllGather", "Broadcast", "AllToAll",
                                     "SendRecv",  "Reduce",        "Gather",    "Scatter"};
constexpr std::string_view kAlgorithms[] = {"collnet_direct", "collnet_chain", "nvls_tree", "nvls",
                                            "collnet",        "ring",          "tree",      "pat"};

}  // namespace

// ncclKernel_AllReduce_RING_LL_Sum_float(...), ncclDevKernel_AllGather_RING_LL(...), ncclDevKernel_SendRecv(...),
// ncclAllReduceRingLLKernel_sum_f32(...). RCCL keeps NCCL's names.
std::optional<NcclKernel> nccl_kernel(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  const bool ours = name.starts_with("nccl") || name.starts_with("rccl");
  std::string_view core = name.substr(0, std::min(name.find('('), name.find('<')));
  if (!ours || !contains(core, "Kernel")) return std::nullopt;
  const std::string lowered = lower(core);
  NcclKernel kernel;
  kernel.op = first_of(lowered, kOps);
  // "ring" and "tree" stand between the operation and its protocol; "pat" would also be found in other words.
  kernel.algorithm = first_of(lowered, kAlgorithms);
  if (kernel.algorithm == "pat" && !contains(lowered, "_pat")) kernel.algorithm.clear();
  if (contains(lowered, "ll128"))
    kernel.protocol = "ll128";
  else if (contains(lowered, "_simple") || contains(lowered, "ringsimple") || contains(lowered, "treesimple"))
    kernel.protocol = "simple";
  else if (contains(lowered, "_ll") || contains(lowered, "ringll") || contains(lowered, "treell"))
    kernel.protocol = "ll";
  return kernel;
}

}  // namespace moescope

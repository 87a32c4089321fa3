#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a kernel's name says of the problem it was compiled for. Kernels built for one shape carry it in their template
// arguments: fused MoE kernels all of it, exchange kernels the ranks and the hidden width, GEMMs their tiles. Argument
// lists differ by release; what a list can't be trusted to say stays unknown.

#include <cstdint>
#include <optional>
#include <string_view>

namespace moescope {

enum class ShapeKind : std::uint8_t { kFusedMoe, kExchange, kGroupedGemm, kRouter };
std::string_view name(ShapeKind kind);

struct KernelShape {  // -1: the name does not say
  ShapeKind kind = ShapeKind::kFusedMoe;
  std::int32_t hidden = -1, intermediate = -1;
  std::int32_t experts = -1, shared_experts = -1, top_k = -1;
  std::int32_t ranks = -1;             // of the expert-parallel group
  std::int32_t max_tokens = -1;        // a rank's buffers are for
  std::int32_t experts_per_wave = -1;  // wave size of static expert waves
  std::int32_t groups = -1;            // of a grouped GEMM: experts on this rank
  std::int32_t n = -1, k = -1;         // of a grouped GEMM
  std::int32_t block_m = -1, block_n = -1, block_k = -1, pipeline_stages = -1, sms = -1;
  double dispatch_bytes = -1, combine_bytes = -1;  // an element on the wire, its share of the scales included
  friend bool operator==(const KernelShape&, const KernelShape&) = default;
};

// name: demangled. nullopt: it carries no shape that is known here.
std::optional<KernelShape> kernel_shape(std::string_view name);
// Of a dense GEMM from the same templates as the grouped ones, which by itself says nothing of experts.
std::optional<KernelShape> dense_gemm_shape(std::string_view name);

}  // namespace moescope

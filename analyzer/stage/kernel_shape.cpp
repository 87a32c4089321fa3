// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/kernel_shape.h"

#include <limits>

#include "analyzer/stage/template_arguments.h"

namespace moescope {
namespace {

constexpr std::int32_t kNvlinkPeers = 8;  // DeepEP's nodes: ranks = nodes x 8

std::int32_t count(const TemplateArguments& arguments, std::size_t i) {
  const auto number = arguments.number(i);
  return number && *number > 0 && *number <= std::numeric_limits<std::int32_t>::max()
             ? static_cast<std::int32_t>(*number)
             : -1;
}

// DeepGEMM's fused kernels. In every release: tokens, hidden, intermediate, experts; further back ..., threads (three
// numbers), SMs, ranks, and then the activation's clamp, the first argument that is no integer. In between:
//   static waves    top-k, experts a wave, block M, N, K, ...
//   task scheduler  shared experts, top-k, block M, N, K, ...; told by a second flag behind the clamp
//   Hopper          some builds have no blocks: top-k, SMs, ranks
std::optional<KernelShape> fused_moe(std::string_view name) {
  const TemplateArguments a(name, "mega_moe_impl<");
  if (a.size() < 4 || count(a, 1) < 0) return std::nullopt;
  KernelShape shape;
  shape.kind = ShapeKind::kFusedMoe;
  shape.max_tokens = count(a, 0);
  shape.hidden = count(a, 1);
  shape.intermediate = count(a, 2);
  shape.experts = count(a, 3);
  std::size_t clamp = 4;
  while (clamp < a.size() && a.number(clamp)) ++clamp;
  if (clamp >= a.size() || clamp < 7) return shape;
  const std::int32_t ranks = count(a, clamp - 1);
  if (ranks < 1 || shape.experts % ranks != 0) return shape;  // not the list that is known
  shape.ranks = ranks;
  shape.sms = count(a, clamp - 2);
  const bool hopper = name.find("sm90_") != std::string_view::npos;
  const bool scheduler = !hopper && a.truth(clamp + 1) && a.truth(clamp + 2);
  if (scheduler)
    shape.shared_experts = static_cast<std::int32_t>(a.number(4).value_or(-1));
  else if (clamp > 12)
    shape.experts_per_wave = count(a, 5);
  shape.top_k = count(a, scheduler ? 5 : 4);
  if (clamp > 12) {
    shape.block_m = count(a, 6);
    shape.block_n = count(a, 7);
    shape.block_k = count(a, 8);
    const bool scaled = name.find("fp8") != std::string_view::npos;  // with the scales' blocks in the list
    const std::size_t stages = hopper ? 11 : 14;
    if (scaled && count(a, stages) <= 32) shape.pipeline_stages = count(a, stages);
  }
  return shape;
}

// DeepEP's and its descendants' low-latency kernels. A dispatch of FP8 carries an FP32 scale per 128 elements, or one
// byte of it; a combine returns BF16 unless it compresses.
std::optional<KernelShape> low_latency(std::string_view name) {
  for (const std::string_view place : {"internode_ll::", "ep_kernels::", "mooncake::"}) {
    const std::size_t at = name.find(place);
    if (at == std::string_view::npos) continue;
    const std::string_view function = name.substr(at + place.size());
    KernelShape shape;
    shape.kind = ShapeKind::kExchange;
    if (function.starts_with("dispatch<")) {
      const TemplateArguments a(function, "dispatch<");
      const auto fp8 = a.truth(0);
      if (!fp8) return std::nullopt;
      const auto packed_scales = a.truth(1);  // the older list has two numbers of warps there
      shape.hidden = count(a, packed_scales ? 2 : 3);
      shape.dispatch_bytes = !*fp8 ? 2 : packed_scales.value_or(false) ? 1 + 1.0 / 128 : 1 + 4.0 / 128;
    } else if (function.starts_with("combine<")) {
      const TemplateArguments a(function, "combine<");
      const auto compressed = a.truth(0);  // the older list has two numbers of warps there
      shape.hidden = count(a, compressed ? 1 : 2);
      if (!compressed.value_or(false)) shape.combine_bytes = 2;
    }
    if (shape.hidden > 0) return shape;
  }
  return std::nullopt;
}

// The normal kernels: intranode by ranks, internode by nodes.
std::optional<KernelShape> normal_exchange(std::string_view name) {
  KernelShape shape;
  shape.kind = ShapeKind::kExchange;
  const auto ranks = [&](std::string_view function, std::size_t argument, std::int32_t times) {
    const std::int32_t number = count(TemplateArguments(name, function), argument);
    if (number > 0 && number <= 4096) shape.ranks = number * times;
    return shape.ranks > 0;
  };
  const bool found =
      ranks("intranode::dispatch<", 0, 1) || ranks("intranode::notify_dispatch<", 0, 1) ||
      ranks("intranode::cached_notify_dispatch<", 0, 1) || ranks("intranode::cached_notify_combine<", 0, 1) ||
      ranks("intranode::combine<", 1, 1) || ranks("internode::dispatch<", 1, kNvlinkPeers) ||
      ranks("internode::notify_dispatch<", 1, kNvlinkPeers) || ranks("internode::combine<", 1, kNvlinkPeers);
  return found ? std::optional(shape) : std::nullopt;
}

// The kernels of DeepEP's second version that stay within one scale-up domain.
std::optional<KernelShape> elastic_exchange(std::string_view name) {
  KernelShape shape;
  shape.kind = ShapeKind::kExchange;
  if (const TemplateArguments a(name, "elastic::dispatch_impl<"); a.size() > 13) {
    const std::size_t later = a.truth(1) ? 0 : 1;  // newer lists count the buffers in between
    shape.sms = count(a, 3 + later);
    shape.ranks = count(a, 6 + later);
    const std::int32_t bytes = count(a, 7 + later), scales = count(a, 8 + later);  // -1 scales: none
    shape.hidden = scales > 0 ? bytes : bytes > 0 ? bytes / 2 : -1;
    if (bytes > 0) shape.dispatch_bytes = scales > 0 ? 1 + 4.0 * scales / bytes : 2;
    shape.max_tokens = count(a, 9 + later);
    shape.experts = count(a, 10 + later);
    shape.top_k = count(a, 11 + later);
  } else if (const TemplateArguments c(name, "elastic::combine_impl<"); c.size() > 9) {
    shape.sms = count(c, 3);
    shape.ranks = count(c, 5);
    shape.hidden = count(c, 6);
    shape.max_tokens = count(c, 7);
    shape.experts = count(c, 8);
    shape.top_k = count(c, 9);
    shape.combine_bytes = 2;
  } else {
    return std::nullopt;
  }
  if (shape.ranks < 1 || shape.experts < 1 || shape.experts % shape.ranks != 0) return std::nullopt;
  return shape;
}

// GEMMs of DeepGEMM: an argument says whether a kernel is dense (0), works on groups of rows, or otherwise.
char gemm_type(std::string_view name) {
  const std::size_t type = name.find("GemmType)");
  if (type == std::string_view::npos || type + 9 >= name.size()) return ' ';
  const bool cast_twice = name.find("(unsigned int)", type) == type + 9 && type + 23 < name.size();
  return name[type + (cast_twice ? 23 : 9)];
}

std::optional<KernelShape> deep_gemm(std::string_view name) {
  KernelShape shape;
  shape.kind = ShapeKind::kGroupedGemm;
  const auto blocks = [&](const TemplateArguments& a, std::size_t first) {
    shape.block_m = count(a, first);
    shape.block_n = count(a, first + 1);
    shape.block_k = count(a, first + 2);
  };
  if (const TemplateArguments a(name, "fp8_gemm_kernel<"); a.size() >= 12) {
    const std::size_t later = a.size() >= 14 ? 2 : 0;  // padding and swizzle came before the groups
    shape.n = count(a, 0);
    shape.k = count(a, 1);
    blocks(a, 2);
    shape.groups = count(a, 5 + later);
    shape.pipeline_stages = count(a, 6 + later);
    return shape;
  }
  if (const TemplateArguments a(name, "fp8_gemm_1d2d_impl<"); a.size() >= 12) {
    const bool majors = !a.text(0).starts_with("(unsigned") && a.text(0).find("Major") != std::string_view::npos;
    const std::size_t first = majors ? 1 : 0;
    shape.n = count(a, first + 1);
    shape.k = count(a, first + 2);
    shape.groups = count(a, first + 3);
    blocks(a, first + 4);
    shape.pipeline_stages = count(a, first + (majors ? 10 : 8));  // three swizzles before it, or one
    return shape;
  }
  if (const TemplateArguments a(name, "_bf16_gemm_impl<"); a.size() >= 12) {
    std::size_t first = 0;
    while (a.text(first).find("Major") != std::string_view::npos) ++first;
    shape.n = count(a, first + 1);
    shape.k = count(a, first + 2);
    blocks(a, first + 3);
    shape.groups = count(a, first + 6);
    shape.pipeline_stages = count(a, first + 10);
    return shape;
  }
  return std::nullopt;
}

std::optional<KernelShape> grouped_gemm(std::string_view name) {
  const char type = gemm_type(name);
  return type == '1' || type == '2' || type == '5' || type == '6' ? deep_gemm(name) : std::nullopt;
}

// "128x8x256" at the start of text: three numbers.
bool tiles(std::string_view text, KernelShape& shape) {
  std::int32_t* const values[] = {&shape.block_m, &shape.block_n, &shape.block_k};
  for (std::size_t i = 0; i < 3; ++i) {
    std::int32_t value = 0;
    std::size_t digits = 0;
    while (digits < text.size() && digits < 5 && text[digits] >= '0' && text[digits] <= '9')
      value = value * 10 + (text[digits++] - '0');
    if (digits == 0 || (i < 2 && (digits >= text.size() || text[digits] != 'x'))) return false;
    *values[i] = value;
    text.remove_prefix(digits + (i < 2 ? 1 : 0));
  }
  return true;
}

// Names that spell their tiles out: trtllm-gen's bmm_..._t128x8x256u2_s6_..., Triton kernels' ..._128x256x64x1....
std::optional<KernelShape> spelt_tiles(std::string_view name) {
  KernelShape shape;
  shape.kind = ShapeKind::kGroupedGemm;
  if (name.starts_with("bmm_")) {
    const std::size_t tile = name.find("_t");
    for (std::size_t at = tile; at != std::string_view::npos; at = name.find("_t", at + 1))
      if (tiles(name.substr(at + 2), shape)) {
        const std::size_t stages = name.find("_s", at);
        if (stages != std::string_view::npos && stages + 2 < name.size() && name[stages + 2] > '0' &&
            name[stages + 2] <= '9')
          shape.pipeline_stages = name[stages + 2] - '0';
        return shape;
      }
    return std::nullopt;
  }
  if (name.starts_with("_matmul_ogs_") || name.starts_with("_p_matmul_ogs_")) {
    for (std::size_t at = name.find('_', 1); at != std::string_view::npos; at = name.find('_', at + 1))
      if (tiles(name.substr(at + 1), shape)) return shape;
  }
  return std::nullopt;
}

std::optional<KernelShape> router(std::string_view name) {
  KernelShape shape;
  shape.kind = ShapeKind::kRouter;
  if (const TemplateArguments a(name, "gate_topk_sm100_wrapper<"); a.size() > 4) {
    shape.experts = count(a, 2);
    shape.hidden = count(a, 3);
    shape.top_k = count(a, 4);
  } else if (const TemplateArguments g(name, "router_gemm_kernel_bf16_output<"); g.size() > 5) {
    shape.experts = count(g, 4);
    shape.hidden = count(g, 5);
  } else if (const TemplateArguments f(name, "router_gemm_kernel_float_output<"); f.size() > 5) {
    shape.experts = count(f, 4);
    shape.hidden = count(f, 5);
  } else if (const TemplateArguments s(name, "topkGatingSoftmax<"); s.size() > 2) {
    shape.experts = count(s, s.number(0) ? 1 : 2);  // a type may come first
  } else if (const TemplateArguments p(name, "topkGatingSoftplusSqrt<"); p.size() > 2) {
    shape.experts = count(p, p.number(0) ? 1 : 2);
  }
  return shape.experts > 0 ? std::optional(shape) : std::nullopt;
}

}  // namespace

std::string_view name(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kFusedMoe:
      return "fused MoE";
    case ShapeKind::kExchange:
      return "exchange";
    case ShapeKind::kGroupedGemm:
      return "grouped GEMM";
    case ShapeKind::kRouter:
      return "router";
  }
  return "";
}

std::optional<KernelShape> dense_gemm_shape(std::string_view name) {
  return gemm_type(name) == '0' ? deep_gemm(name) : std::nullopt;
}

std::optional<KernelShape> kernel_shape(std::string_view name) {
  for (const auto parse :
       {fused_moe, low_latency, elastic_exchange, normal_exchange, grouped_gemm, spelt_tiles, router})
    if (const auto shape = parse(name)) return shape;
  return std::nullopt;
}

}  // namespace moescope

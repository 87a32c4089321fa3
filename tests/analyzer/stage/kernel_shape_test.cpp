// SPDX-License-Identifier: Apache-2.0
// Shapes read from kernels' names, each value against the frameworks' own template lists, written out by hand.
#include "analyzer/stage/kernel_shape.h"

#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/model_from_names.h"
#include "analyzer/stage/template_arguments.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

KernelShape shape_of(const std::string& name) {
  const auto shape = kernel_shape(name);
  INFO(name);
  REQUIRE(shape);
  return *shape;
}

KernelShape fused() {
  KernelShape shape;
  shape.kind = ShapeKind::kFusedMoe;
  return shape;
}
KernelShape exchange() {
  KernelShape shape;
  shape.kind = ShapeKind::kExchange;
  return shape;
}
KernelShape gemm(std::int32_t n, std::int32_t k, std::int32_t groups, std::int32_t m_block, std::int32_t n_block,
                 std::int32_t k_block, std::int32_t stages) {
  KernelShape shape;
  shape.kind = ShapeKind::kGroupedGemm;
  shape.n = n;
  shape.k = k;
  shape.groups = groups;
  shape.block_m = m_block;
  shape.block_n = n_block;
  shape.block_k = k_block;
  shape.pipeline_stages = stages;
  return shape;
}

Trace trace_with(std::initializer_list<const char*> names) {
  TraceBuilder builder;
  for (const char* name : names) builder.name(name);
  return builder.finish();
}

}  // namespace

TEST_CASE("template arguments in both styles, nested, and of names that were cut") {
  const TemplateArguments a("void ns::f<(int)8, 128u, (bool)1, g<1, h<2> >, true, (E)3, 4096ul>(f<9>)", "f<");
  REQUIRE(a.size() == 7);
  CHECK(a.whole());
  CHECK(a.number(0) == 8);
  CHECK(a.number(1) == 128);
  CHECK(a.truth(2) == true);
  CHECK_FALSE(a.number(2));
  CHECK(a.text(3) == "g<1, h<2> >");
  CHECK_FALSE(a.number(3));
  CHECK(a.truth(4) == true);
  CHECK(a.number(5) == 3);
  CHECK(a.number(6) == 4096);
  CHECK_FALSE(a.number(7));
  const TemplateArguments cut("void ns::f<8, 12", "f<");
  CHECK_FALSE(cut.whole());
  CHECK(cut.size() == 1);  // 12 may have been 128
  CHECK(TemplateArguments("void g<8>", "f<").size() == 0);
  CHECK(TemplateArguments("f<(float)[41200000], 3>", "f<").number(1) == 3);
  CHECK_FALSE(TemplateArguments("f<(float)[41200000], 3>", "f<").number(0));
  CHECK_FALSE(TemplateArguments("f<99999999999999999999>", "f<").number(0));
}

TEST_CASE("DeepGEMM's fused kernel, release by release") {
  // tokens, hidden, intermediate, experts, top-k, experts a wave, M, N, K, store M, scales M, N, pool, scale pool,
  // stages, three thread counts, SMs, ranks, clamp, fast maths; then what the list defaults to.
  KernelShape april = fused();
  april.max_tokens = 8192;
  april.hidden = 7168;
  april.intermediate = 3072;
  april.experts = 384;
  april.top_k = 6;
  april.experts_per_wave = 3;
  april.block_m = 192;
  april.block_n = april.block_k = 128;
  april.pipeline_stages = 6;
  april.sms = 148;
  april.ranks = 8;
  CHECK(
      shape_of(
          "void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192u, 7168u, 3072u, 384u, 6u, 3u, 192u, 128u, 128u, 32u, 256u, "
          "128u, 65536u, 65536u, 6u, 128u, 128u, 256u, 148u, 8u, (float)[41200000], true, 6144u, 7168u, 7168u, "
          "3072u>(void*)") == april);
  // The same with the bytes of a pull before the threads, and in the other demangler's style.
  CHECK(
      shape_of(
          "void deep_gemm::sm100_fp8_fp4_mega_moe_impl<(unsigned int)8192, (unsigned int)7168, (unsigned int)3072, "
          "(unsigned int)384, (unsigned int)6, (unsigned int)3, (unsigned int)192, (unsigned int)128, (unsigned "
          "int)128, (unsigned int)32, (unsigned int)256, (unsigned int)128, (unsigned int)65536, (unsigned int)65536, "
          "(unsigned int)6, (unsigned int)4096, (unsigned int)128, (unsigned int)128, (unsigned int)256, (unsigned "
          "int)148, (unsigned int)8, (float)10, (bool)1, (unsigned int)6144>(void *)") == april);
  // The task scheduler's list: shared experts and no wave; three more activation arguments behind the clamp.
  KernelShape july = april;
  july.experts_per_wave = -1;
  july.shared_experts = 1;
  CHECK(
      shape_of(
          "void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192u, 7168u, 3072u, 384u, 1u, 6u, 192u, 128u, 128u, 32u, 256u, "
          "128u, 65536u, 65536u, 6u, 4096u, 128u, 128u, 256u, 148u, 8u, (float)[41200000], true, false, "
          "(float)[0], (float)[0], cutlass::float_e4m3_t, true, 6144u>(void*)") == july);
  // Hopper: no scales' blocks; and a form without blocks.
  KernelShape hopper = fused();
  hopper.max_tokens = 2048;
  hopper.hidden = 4096;
  hopper.intermediate = 2048;
  hopper.experts = 256;
  hopper.top_k = 6;
  hopper.experts_per_wave = 8;
  hopper.block_m = 64;
  hopper.block_n = 256;
  hopper.block_k = 128;
  hopper.pipeline_stages = 4;
  hopper.sms = 132;
  hopper.ranks = 8;
  CHECK(
      shape_of(
          "void deep_gemm::sm90_fp8_mega_moe_impl<2048u, 4096u, 2048u, 256u, 6u, 8u, 64u, 256u, 128u, 32768u, 32768u, "
          "4u, 4096u, 128u, 128u, 256u, 132u, 8u, (float)[41200000], true, false, 4096u>(void*)") == hopper);
  KernelShape bare = fused();
  bare.max_tokens = 2048;
  bare.hidden = 4096;
  bare.intermediate = 2048;
  bare.experts = 256;
  bare.top_k = 6;
  bare.sms = 132;
  bare.ranks = 8;
  CHECK(shape_of(
            "void deep_gemm::sm90_fp8_mega_moe_impl<2048u, 4096u, 2048u, 256u, 6u, 132u, 8u, (float)[41200000], true, "
            "false>(void*)") == bare);
  // A list that is not known, or was cut: what all releases have in common, and no more.
  KernelShape common = fused();
  common.max_tokens = 8192;
  common.hidden = 7168;
  common.intermediate = 3072;
  common.experts = 384;
  CHECK(
      shape_of("void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192u, 7168u, 3072u, 384u, 6u, 48u, 192u, 128u>(void*)") ==
      common);
  CHECK(shape_of("void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192u, 7168u, 3072u, 384u, 6u, 3u, 192u, 12") == common);
  CHECK(
      shape_of("void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192u, 7168u, 3072u, 384u, 6u, 3u, 192u, 128u, 128u, 32u, "
               "256u, 128u, 65536u, 65536u, 6u, 128u, 128u, 256u, 148u, 7u, (float)[0]>(void*)") == common);
}

TEST_CASE("exchange kernels: ranks, widths, wire formats") {
  const auto ranks = [](const char* name) { return shape_of(name).ranks; };
  CHECK(ranks("void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)") == 8);
  CHECK(ranks("void primus_turbo::deep_ep::intranode::combine<hip_bfloat16, 8, 1024>(hip_bfloat16*)") == 8);
  CHECK(ranks("void deep_ep::intranode::notify_dispatch<(int)4>(int const *)") == 4);
  CHECK(ranks("void deep_ep::intranode::cached_notify_combine<2>(void**)") == 2);
  CHECK(ranks("void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*)") == 64);  // eight nodes of eight
  CHECK(ranks("void deep_ep::internode::combine<(bool)0, (int)4, __nv_bfloat16>(int4 *)") == 32);
  CHECK(ranks("void uccl::internode::notify_dispatch<false, 2, true>(int const*)") == 16);

  KernelShape dispatch = exchange();
  dispatch.hidden = 7168;
  dispatch.dispatch_bytes = 1.03125;  // FP8 and a float per 128
  CHECK(shape_of("void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*)") == dispatch);
  CHECK(shape_of("void deep_ep::legacy::internode_ll::dispatch<true, false, 7168>(void*)") == dispatch);
  CHECK(shape_of("void nccl_ep::internode_ll::dispatch<true, false, 7168, (ncclEpLayout_t)0, true>(void const*)") ==
        dispatch);
  dispatch.dispatch_bytes = 1.0078125;  // a byte per 128
  CHECK(shape_of("void deep_ep::internode_ll::dispatch<(bool)1, (bool)1, (int)7168>(void *)") == dispatch);
  dispatch.dispatch_bytes = 2;
  CHECK(shape_of("void nixl_ep::ep_kernels::dispatch<false, false, 7168>(void*)") == dispatch);

  KernelShape combine = exchange();
  combine.hidden = 7168;
  combine.combine_bytes = 2;
  CHECK(shape_of("void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*)") == combine);
  CHECK(shape_of("void deep_ep::internode_ll::combine<(bool)0, (int)7168, (int)11, (int)4>(void *)") == combine);
  combine.combine_bytes = -1;  // compressed: how far depends on the data
  CHECK(shape_of("void deep_ep::internode_ll::combine<true, 7168, 11, 4>(void*)") == combine);

  // flag, flag, flag, SMs, warps, warps, ranks, bytes of a token, its scales, tokens, experts, top-k, alignment, ...
  KernelShape elastic = exchange();
  elastic.sms = 20;
  elastic.ranks = 8;
  elastic.hidden = 7168;
  elastic.dispatch_bytes = 1.03125;  // 7168 bytes and 56 floats
  elastic.max_tokens = 4096;
  elastic.experts = 256;
  elastic.top_k = 8;
  CHECK(
      shape_of("void deep_ep::elastic::dispatch_impl<true, true, false, 20, 4, 12, 8, 7168, 56, 4096, 256, 8, 128, 0, "
               "100000000000l, 128>(void*)") == elastic);
  CHECK(shape_of(
            "void deep_ep::elastic::dispatch_impl<true, 3, true, false, 20, 4, 12, 8, 7168, 56, 4096, 256, 8, 128, 0, "
            "100000000000l, 128>(void*)") == elastic);  // with the number of buffers
  elastic.dispatch_bytes = 2;
  CHECK(
      shape_of("void deep_ep::elastic::dispatch_impl<true, true, false, 20, 4, 12, 8, 14336, 0, 4096, 256, 8, 128, 0, "
               "100000000000l, 128>(void*)") == elastic);
  elastic.dispatch_bytes = -1;
  elastic.combine_bytes = 2;
  CHECK(shape_of("void mooncake::elastic::combine_impl<true, false, true, 20, 16, 8, 7168, 4096, 256, 8, 0>(int)") ==
        elastic);
}

TEST_CASE("grouped GEMMs: widths, experts, tiles, pipeline stages") {
  CHECK(shape_of("void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 64u, 160u, 128u, 32u, 4u, 128u, 128u, 1u, true, "
                 "(deep_gemm::GemmType)2>(__nv_bfloat16*)") == gemm(4096, 7168, 32, 64, 160, 128, 4));
  CHECK(
      shape_of("void deep_gemm::fp8_gemm_kernel<7168u, 2048u, 128u, 160u, 128u, 0u, 64u, 9u, 4u, 128u, 128u, 1u, true, "
               "(deep_gemm::GemmType)1>(__nv_bfloat16*)") == gemm(7168, 2048, 9, 128, 160, 128, 4));
  CHECK(shape_of(
            "void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 4096u, 7168u, 32u, 64u, 128u, 128u, 64u, 6u, 2u, 128u, 128u, "
            "1u, true, 132u, (deep_gemm::GemmType)2>(float*)") == gemm(4096, 7168, 32, 64, 128, 128, 6));
  CHECK(
      shape_of(
          "void deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, 0u, 7168u, 2048u, 16u, 64u, 128u, 128u, 128u, "
          "128u, 128u, 5u, 128u, 128u, 1u, true, 132u, (deep_gemm::GemmType)2, deep_gemm::Identity>(float*)") ==
      gemm(7168, 2048, 16, 64, 128, 128, 5));
  CHECK(shape_of(
            "void deep_gemm::sm100_bf16_gemm_impl<(cute::UMMA::Major)0, (cute::UMMA::Major)0, 0u, 3072u, 4096u, 128u, "
            "128u, 64u, 8u, 128u, 128u, 128u, 5u, 128u, 128u, 2u, true, 148u, (deep_gemm::GemmType)1, false>(int*)") ==
        gemm(3072, 4096, 8, 128, 128, 64, 5));
  // Dense ones, weight gradients and others of the same templates are no experts' shapes.
  for (const char* name :
       {"void deep_gemm::fp8_gemm_kernel<24576u, 1536u, 64u, 96u, 128u, 1u, 4u, 128u, 128u, 1u, true, "
        "(deep_gemm::GemmType)0>(int)",
        "void deep_gemm::sm90_fp8_gemm_1d1d_impl<4096u, 7168u, 0u, 8u, 128u, 128u, 128u, (deep_gemm::GemmType)3>(int)",
        "void deep_gemm::sm90_tf32_hc_prenorm_gemm_impl<24u, 16384u, 64u, 32u, 64u, 1u, 128u, 12u, 128u, 128u>(int)",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "", "dispatch", "_matmul_ogs_",
        "bmm_", "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)"}) {
    INFO(name);
    CHECK_FALSE(kernel_shape(name));
  }
  CHECK(shape_of("bmm_E4m3_E4m3E4m3_Fp32_t128x64x128u2_s6_et64x64_m64x64x32_dsFp8_dynB_sm100f") ==
        gemm(-1, -1, -1, 128, 64, 128, 6));
  CHECK(shape_of("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1_swiglu") == gemm(-1, -1, -1, 16, 256, 128, -1));
  CHECK(shape_of("_p_matmul_ogs_NNT_fp8e5xfp8e5xmxfp4_128x128x256x1") == gemm(-1, -1, -1, 128, 128, 256, -1));
}

TEST_CASE("router kernels: experts, width, top-k") {
  const KernelShape gate = shape_of(
      "void gate_topk_sm100_wrapper<cutlass::bfloat16_t, (int)8, (int)128, (int)2048, (int)8, "
      "cute::Tensor<int>>(void *)");
  CHECK(gate.experts == 128);
  CHECK(gate.hidden == 2048);
  CHECK(gate.top_k == 8);
  const KernelShape gemm = shape_of("void router_gemm_kernel_bf16_output<__nv_bfloat16, 128, 8, 4, 256, 7168>(int)");
  CHECK(gemm.experts == 256);
  CHECK(gemm.hidden == 7168);
  CHECK(shape_of("void topkGatingSoftmax<__nv_bfloat16, 8, 128, 4, 16>(int)").experts == 128);
  CHECK(shape_of("void vllm::moe::topkGatingSoftplusSqrt<8, 256, 4, 16, 32, false, int, float>(int)").experts == 256);
}

TEST_CASE("names fill what the record leaves open, and only that") {
  Trace trace =
      trace_with({"void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*)",
                  "void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*)",
                  "void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 64u, 160u, 128u, 32u, 4u, 128u, 128u, 1u, true, "
                  "(deep_gemm::GemmType)2>(int)",
                  "void deep_gemm::fp8_gemm_kernel<7168u, 2048u, 64u, 160u, 128u, 32u, 4u, 128u, 128u, 1u, true, "
                  "(deep_gemm::GemmType)2>(int)"});
  complete_model(trace);
  REQUIRE(trace.model);
  CHECK(trace.model->hidden == 7168);
  CHECK(trace.model->intermediate == 2048);
  CHECK(trace.model->gated == 1);
  CHECK(trace.model->experts == -1);
  CHECK(trace.model->dispatch_bytes_per_element == 1.03125);
  CHECK(trace.model->combine_bytes_per_element == 2);
  CHECK(trace.model->source ==
        "kernel name: hidden, intermediate, gated, dispatch_bytes_per_element, combine_bytes_per_element");
  const Model once = *trace.model;
  complete_model(trace);
  CHECK(trace.model->source == once.source);

  Trace said = trace_with({"void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*)"});
  said.model.emplace();
  said.model->hidden = 4096;
  said.model->source = "annotation";
  complete_model(said);
  CHECK(said.model->hidden == 4096);  // the record's word stands
  CHECK(said.model->source == "annotation; kernel name: combine_bytes_per_element");

  Trace none = trace_with({"aten::mm", "dispatch(F)"});
  complete_model(none);
  CHECK_FALSE(none.model);
}

TEST_CASE("names that disagree leave the field unknown and say so") {
  Trace trace = trace_with({"void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*)",
                            "void deep_ep::internode_ll::combine<3, 10, 4096, 9>(void*)"});
  complete_model(trace);
  REQUIRE(trace.model);
  CHECK(trace.model->hidden == -1);
  CHECK(trace.model->combine_bytes_per_element == 2);
  REQUIRE(trace.diagnostics.size() == 1);
  CHECK(trace.diagnostics[0].code == "kernel_names_disagree");
  CHECK(trace.diagnostics[0].detail == "hidden: kernel names say 4096 and 7168");
}

TEST_CASE("widths where both projections could be meant are not taken for one") {
  // N = K = hidden is a first projection of twice half the width, or a second one of the whole width.
  Trace trace =
      trace_with({"void deep_ep::internode_ll::combine<3, 10, 4096, 9>(void*)",
                  "void deep_gemm::fp8_gemm_kernel<4096u, 4096u, 64u, 160u, 128u, 32u, 4u, 128u, 128u, 1u, true, "
                  "(deep_gemm::GemmType)2>(int)"});
  complete_model(trace);
  CHECK(trace.model->intermediate == -1);
  CHECK(trace.model->gated == -1);
}

TEST_CASE("any cut of a name gives less of its shape, never another") {
  const std::string whole =
      "void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192u, 7168u, 3072u, 384u, 6u, 3u, 192u, 128u, 128u, 32u, 256u, "
      "128u, "
      "65536u, 65536u, 6u, 4096u, 128u, 128u, 256u, 148u, 8u, (float)[41200000], true, 6144u>(void*)";
  const KernelShape all = shape_of(whole);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const auto some = kernel_shape(whole.substr(0, length));
    if (!some) continue;
    INFO(whole.substr(0, length));
    for (const auto member : {&KernelShape::hidden, &KernelShape::intermediate, &KernelShape::experts,
                              &KernelShape::top_k, &KernelShape::ranks, &KernelShape::experts_per_wave,
                              &KernelShape::block_m, &KernelShape::pipeline_stages, &KernelShape::sms})
      CHECK((*some.*member == -1 || *some.*member == all.*member));
  }
}

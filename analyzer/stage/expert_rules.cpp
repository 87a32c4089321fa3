// SPDX-License-Identifier: Apache-2.0
// Expert GEMMs and activations.
#include "analyzer/stage/rule_tables.h"

namespace moescope {
namespace {

using enum Part;
using enum Pass;
using enum RuleKind;
using enum Stage;

// A grouped DeepGEMM kernel that carries its shape tells L1 (N = both projections, K = hidden) from L2 (N = hidden, K =
// one projection). Older kernels have N and K first; newer ones after the majors and M.
#define MOESCOPE_DEEPGEMM_ROW(priority, head, n, k, stage)                   \
  {                                                                          \
    priority, kKernel,                                                       \
        head R"((?:\(unsigned int\))?)" #n R"(u?, (?:\(unsigned int\))?)" #k \
             R"(u?, .*GemmType\)(?:\(unsigned int\))?[1256]\b)",             \
        stage, kPAYLOAD, kUNKNOWN, {}, "deepgemm", "source"                  \
  }
#define MOESCOPE_DEEPGEMM_SHAPE(hidden, both, one)                          \
  MOESCOPE_DEEPGEMM_ROW(530, R"(fp8_gemm_kernel<)", both, hidden, kL1),     \
      MOESCOPE_DEEPGEMM_ROW(530, R"(fp8_gemm_kernel<)", hidden, one, kL2),  \
      MOESCOPE_DEEPGEMM_ROW(531, MOESCOPE_DEEPGEMM_NEW, both, hidden, kL1), \
      MOESCOPE_DEEPGEMM_ROW(531, MOESCOPE_DEEPGEMM_NEW, hidden, one, kL2)
#define MOESCOPE_DEEPGEMM_NEW                                   \
  R"(deep_gemm::sm\d+_\w+_impl<(?:\(cute::UMMA::Major\)\d, )*)" \
  R"((?:(?:\((?:unsigned )?(?:int|long)\))?\d+(?:u|l|ul)?, ){1,4})"

// clang-format off
constexpr StageRule kRules[] = {
    MOESCOPE_DEEPGEMM_SHAPE(7168, 4096, 2048),  // DeepSeek-V3 and R1, Kimi-K2
    MOESCOPE_DEEPGEMM_SHAPE(7168, 6144, 3072),  // DeepSeek-V4-Pro
    MOESCOPE_DEEPGEMM_SHAPE(4096, 4096, 2048),  // DeepSeek-V4-Flash
    MOESCOPE_DEEPGEMM_SHAPE(4096, 3072, 1536),  // Qwen3-235B
    MOESCOPE_DEEPGEMM_SHAPE(2048, 1536, 768),   // Qwen3-30B
    MOESCOPE_DEEPGEMM_SHAPE(5120, 3072, 1536),  // GLM-4.5
    {500, kKernel, R"(EpilogueMoeFusedFinalize|ScaledAccPerRowBiasPerColScaleScatter)",
     StageSet(kL2) | kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {501, kKernel, R"(\bFused_Moe_Kernel_sm80<)", StageSet(kL1) | kACT, kPAYLOAD, kFORWARD, {}, "trtllm", "source"},
    {502, kKernel, R"(^bmm_\w*_(?:swiGlu|geGlu|relu2|silu|gelu)(?:_|$))",
     StageSet(kL1) | kACT, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {503, kKernel, R"(^bmm_(?:Bfloat16|Fp16)_\w*_dynB(?:atch)?(?:_|$))",
     kL2, kPAYLOAD, kFORWARD, StageSet(kL2) | kL1, "trtllm", "trace"},
    {504, kKernel, R"(^bmm_(?:E4m3|MxE4m3|E2m1|MxE2m1)_\w*_dynB(?:atch)?(?:_|$))",
     kL1, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {505, kKernel, R"(^bmm_\w+_sm1\d\d[af]?$)",
     kL2, kPAYLOAD, kFORWARD, StageSet(kL2) | kL1 | kOTHER, "trtllm", "source"},
    {506, kKernel, R"(^gemm_\w+_sm1\d\d[af]?$)", kOTHER, kPAYLOAD, kFORWARD, {}, "trtllm", "source"},
    {510, kKernel,
     R"(^kernel_cutlass_\w*(?:GatherGroupedGemm\w*Kernel|GroupedGemmSwiglu\w*|GroupedGemmGlu\w*|)"
     R"(GroupedGemmAct\w*))",
     StageSet(kL1) | kPERMUTE | kACT, kPAYLOAD, kFORWARD, {}, "flashinfer", "source"},
    {511, kKernel, R"(^kernel_cutlass_\w*GroupedGemmFinalize\w*)",
     StageSet(kL2) | kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "flashinfer", "source"},
    {512, kKernel, R"(grouped_gemm_(?:d(?:swiglu|glu))\w*)",
     StageSet(kACT) | kL2, kPAYLOAD, kBACKWARD, {}, "te", "source"},
    {513, kKernel, R"(grouped_gemm_(?:swiglu|glu|act)\w*)",
     StageSet(kL1) | kACT, kPAYLOAD, kFORWARD, {}, "te", "source"},
    {514, kKernel, R"(grouped_gemm_wgrad\w*)", kL1, kPAYLOAD, kBACKWARD, StageSet(kL1) | kL2, "te", "source"},
    {515, kKernel, R"(GemmDGatedSm\d+)", StageSet(kL2) | kACT, kPAYLOAD, kBACKWARD, {}, "sonicmoe", "source"},
    {516, kKernel, R"(GemmGatedSm\d+)", StageSet(kL1) | kACT, kPAYLOAD, kFORWARD, {}, "sonicmoe", "source"},
    {517, kKernel, R"(^_(?:p_)?matmul(?:_ogs)?_\w*(?:swiglu|geglu|relu2?|silu)\w*$)",
     StageSet(kL1) | kACT, kPAYLOAD, kFORWARD, {}, "triton_kernels", "trace"},
    {518, kKernel, R"(^_(?:p_)?matmul_ogs\w*$|^_(?:p_)?matmul_[NT]{3}_\w+$)",
     kL2, kPAYLOAD, kFORWARD, StageSet(kL2) | kL1, "triton_kernels", "trace"},
    {520, kKernel, R"(^_sdd_kernel$)", kL1, kPAYLOAD, kUNKNOWN, {}, "megablocks", "source"},
    {521, kKernel, R"(^_dsd_kernel$)", kL2, kPAYLOAD, kUNKNOWN, {}, "megablocks", "source"},
    {522, kKernel, R"(^_dds_kernel$)", kL1, kPAYLOAD, kBACKWARD, StageSet(kL1) | kL2, "megablocks", "source"},
    {545, kKernel, R"(deep_gemm::sm\d+_\w*gemm\w*_impl<.*GemmType\)(?:\(unsigned int\))?[36]\b)",
     kL1, kPAYLOAD, kBACKWARD, StageSet(kL1) | kL2, "deepgemm", "source"},
    {546, kKernel, R"((?:deep_gemm|dpsk::gemm)::\w*gemm\w*<.*GemmType\)(?:\(unsigned int\))?0\b)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "deepgemm", "trace"},
    {547, kKernel, R"((?:deep_gemm|dpsk::gemm)::\w*gemm\w*<.*GemmType\)(?:\(unsigned int\))?4\b)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "deepgemm", "source"},
    {596, kKernel, R"(^swiglu_backward\w*_kernel)", kACT, kPAYLOAD, kBACKWARD, {}, "tilekernels", "source"},
    {596, kKernel, R"(^swiglu_forward\w*_kernel)", kACT, kPAYLOAD, kFORWARD, {}, "tilekernels", "source"},
    {597, kKernel, R"(^_swiglu_backward_kernel)",
     kACT, kPAYLOAD, kBACKWARD, StageSet(kACT) | kOTHER, "liger", "source"},
    {597, kKernel, R"(^_swiglu_forward_kernel)", kACT, kPAYLOAD, kFORWARD, StageSet(kACT) | kOTHER, "liger", "source"},
    {598, kKernel, R"(^_(?:silu_mul|clamped_swiglu)_bwd_kernel|^_silu_and_mul_backward_kernel)",
     kACT, kPAYLOAD, kBACKWARD, {}, "pith", "source"},
    {599, kKernel, R"(^_(?:silu_mul|clamped_swiglu)_fwd_kernel|^_silu_and_mul_forward_kernel)",
     kACT, kPAYLOAD, kFORWARD, {}, "pith", "source"},
    {600, kKernel,
     R"(\bdgated_act_kernel<|\bscaled_gated_backward_kernel<|\bquantize_gated_mxfp8_kernel<(?:\(bool\)1|)"
     R"(true)|\bcast_\w*dgated\w*_kernel<|\bcast_fp8_gated_kernel<(?:\(bool\)1|true))",
     kACT, kPAYLOAD, kBACKWARD, {}, "te", "source"},
    {601, kKernel,
     R"(\bgated_act_kernel<|\bscaled_gated_forward_kernel<|\bquantize_gated_mxfp8_kernel<(?:\(bool\)0|)"
     R"(false)|\bcast_\w*gated\w*_kernel<)",
     kACT, kPAYLOAD, kFORWARD, StageSet(kACT) | kOTHER, "te", "source"},
    {602, kKernel, R"(\bact_and_mul_(?:quant_)?kernel\w*|\dact_and_mul_kernelI)",
     kACT, kPAYLOAD, kFORWARD, StageSet(kACT) | kOTHER, "vllm", "trace"},
    {603, kKernel,
     R"(\b_?silu_(?:and_)?mul\w*kernel\w*|\bsilu_mul_cvt_fp16_to_fp4\b|^_silu_mul_fp8_quant_deep_gemm|)"
     R"(\bsilu_mul\w*|\bsilu_and_mul\w*)",
     kACT, kPAYLOAD, kFORWARD, {}, "vllm", "trace"},
    {604, kKernel,
     R"(\b(?:swigluoai|swiglustep|situ)_and_mul_kernel|^_swiglustep_and_mul_kernel|^_?swiglu(?:_\w+))"
     R"(?_kernel|^_swiglu_with_probs_kernel|^_squared_relu_kernel|^_silu_mul_bounded_kernel|)"
     R"(\bswigluoai\w*)",
     kACT, kPAYLOAD, kUNKNOWN, {}, "vllm", "source"},
    {607, kKernel, R"(\bdo(?:Gated)?ActivationKernel<|\bmoeActivationKernel<|\bmoe::dev::activation::)",
     kACT, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {610, kKernel,
     R"(\bcuda::(?:swiglu_backward|swiglu_(?:forward_)?(?:weight_)?backward\w*|swiglu_forward_backward\w*|)"
     R"(swiglu_weight_backward\w*))",
     kACT, kPAYLOAD, kBACKWARD, {}, "dpsk", "trace"},
    {611, kKernel, R"(\bcuda::(?:batched_)?swiglu\w*)", kACT, kPAYLOAD, kUNKNOWN, {}, "dpsk", "trace"},
    {612, kKernel, R"(^_fbgemm_silu_mul\w*)", kACT, kPAYLOAD, kFORWARD, {}, "fbgemm", "source"},
    {613, kKernel, R"(\bweighted_(?:bias_)?(?:swiglu|squared_relu)\w*|\bfused_bias_(?:swiglu|geglu)\w*)",
     kACT, kPAYLOAD, kUNKNOWN, {}, "megatron", "source"},
    {700, kKernel, R"((?:deep_gemm|dpsk::gemm)::\w*gemm\w*<.*GemmType\)(?:\(unsigned int\))?[125]\b)",
     kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "deepgemm", "source"},
    {701, kKernel, R"(^[abm]_(?:fused_)?[mk]_grouped_\w*gemm\w*|^m_grouped_\w*gemm\w*|\bk_grouped_\w*gemm\w*)",
     kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "deepgemm", "source"},
    {702, kKernel, R"(\bm_grouped_fp8_\w+::GemmKernel)", kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "dpsk", "trace"},
    {703, kKernel, R"(\bgrouped_gemm::cuda::fp8_dptp128c_acc::GemmKernel)",
     kOTHER, kPAYLOAD, kBACKWARD, StageSet(kOTHER) | kL1 | kL2, "dpsk", "trace"},
    {704, kKernel, R"(\bgrouped_gemm::cuda::(?:fp8_ptp128c::GemmKernel|utils::transpose<))",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "dpsk", "trace"},
    {710, kKernel, R"(^fused_moe_kernel(?:_gptq_awq)?$|^fused_moe_nvfp4_emulation_kernel$|^_fused_moe_kernel$)",
     kL1, kPAYLOAD, kFORWARD, StageSet(kL1) | kL2, "vllm", "trace"},
    {711, kKernel, R"(^(?:_mxfp8_grouped_gemm_kernel|batched_triton_kernel|_grouped_gemm_\w*kernel)$)",
     kL1, kPAYLOAD, kFORWARD, StageSet(kL1) | kL2, "vllm", "source"},
    {711, kKernel, R"(^grouped_matmul_kernel$)",
     kL1, kPAYLOAD, kFORWARD, StageSet(kL1) | kL2 | kOTHER, "lightllm", "trace"},
    {712, kKernel, R"(\bmarlin_moe\w*::Marlin<|\bmarlin_moe\w*::)",
     kL1, kPAYLOAD, kFORWARD, StageSet(kL1) | kL2, "vllm", "trace"},
    {713, kKernel, R"(\bmoe_wna16_gemm_kernel|\bmoe_q_gemm\w*|\bmoe_vec_q\w*|\bmoe_gemv\w*)",
     kL1, kPAYLOAD, kFORWARD, StageSet(kL1) | kL2, "vllm", "source"},
    {720, kKernel, R"(GroupProblemShape)", kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "cutlass", "trace"},
    {721, kKernel,
     R"(\bGemmGrouped\b|\bMoeFCGemm\b|\bGemmMoeProblemVisitor\b|10MoeFCGemmI|GroupedGemmKernel|)"
     R"(GroupGemmKernel|GroupedGemmPersistent|GemmGroupedI)",
     kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "cutlass", "trace"},
    {722, kKernel, R"(HopperWgmma_MoE_kernel)", kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "sonicmoe", "source"},
    {723, kKernel, R"(^_fbgemm_grouped_gemm\w*)", kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "fbgemm", "source"},
    {724, kKernel, R"(^transposed_moe_grouped_gemm\w*)",
     kL1, kPAYLOAD, kBACKWARD, StageSet(kL1) | kL2, "triton-dist", "source"},
    {725, kKernel, R"(^moe_grouped_gemm_kernel\w*)",
     kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "triton-dist", "source"},
    {727, kKernel, R"(^kernel_cutlass_\w*GroupedGemm\w*)",
     kL1, kPAYLOAD, kFORWARD, StageSet(kL1) | kL2, "flashinfer", "source"},
    {728, kKernel, R"(^nvjet_\w*[gG]rouped\w*|\bcublas\w*[gG]rouped\w*|^cutlass\w*_gemm_grouped\w*)",
     kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "cublas", "unverified"},
};
// clang-format on

}  // namespace

std::span<const StageRule> expert_rules() {
  return kRules;
}

}  // namespace moescope

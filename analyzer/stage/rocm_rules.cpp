// SPDX-License-Identifier: Apache-2.0
// AMD's stack: AITER's expert kernels, Composable Kernel, hipBLASLt, Primus Turbo.
#include "analyzer/stage/rule_tables.h"

namespace moescope {
namespace {

using enum Part;
using enum Pass;
using enum RuleKind;
using enum Stage;

// clang-format off
constexpr StageRule kRules[] = {
    {540, kKernel, R"(\baiter::fmoe_stage1_\w+)", StageSet(kL1) | kACT, kPAYLOAD, kFORWARD, {}, "aiter", "trace"},
    {541, kKernel, R"(\baiter::fmoe_\w+|\bfmoe_kernel_func\b)",
     StageSet(kL1) | kACT | kL2 | kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "aiter", "trace"},
    {542, kKernel, R"(moe_ck2stages_gemm1_)", StageSet(kL1) | kACT, kPAYLOAD, kFORWARD, {}, "aiter", "trace"},
    {542, kKernel, R"(moe_ck2stages_gemm2_)", StageSet(kL2) | kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "aiter", "trace"},
    // The second projection adds its rows up in place; the first one sets them.
    {543, kKernel, R"(\bck::kernel_moe_gemm\w*<.*InMemoryDataOperationEnum\)1\b)",
     StageSet(kL2) | kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "aiter", "source"},
    {544, kKernel, R"(\bck::kernel_moe_(?:mx)?gemm\w*<|MoeFlatmmKernel)",
     kL1, kPAYLOAD, kFORWARD, StageSet(kL1) | kL2, "aiter", "source"},
    {544, kKernel, R"(^mfma_moe1_\w*(?:silu|gelu|swiglu))",
     StageSet(kL1) | kACT, kPAYLOAD, kFORWARD, {}, "aiter", "source"},
    {544, kKernel, R"(^mfma_moe2_)", StageSet(kL2) | kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "aiter", "source"},
    {545, kKernel, R"(MoeSorting(?:Kernel|MultiPhaseKernel|ClearWorkspace))",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "aiter", "source"},
    {719, kKernel, R"(ck_tile\w*::.*GroupedGemmKernel|7ck_tile.*GroupedGemmKernel)",
     kL1, kPAYLOAD, kUNKNOWN, StageSet(kL1) | kL2, "ck", "trace"},
    {719, kKernel, R"(\bgrouped_gemm_variable_k_postprocess\b)",
     kOTHER, kPAYLOAD, kBACKWARD, StageSet(kOTHER) | kL1 | kL2, "primus", "trace"},
    {848, kKernel, R"(\bck_tile::FmhaBwd\w*Kernel|\bck_fused_attn::dk_dv_reduce|\baiter::fmha_bwd\w*)",
     kATTENTION, kPAYLOAD, kBACKWARD, {}, "ck", "trace"},
    {849, kKernel, R"(\bck_tile::Fmha\w*Kernel|\baiter::(?:fmha|mla|pa)_\w+|^attn_fwd$|\bkn_mla_reduce_v\d|\bfused_attn_rocm::)",
     kATTENTION, kPAYLOAD, kUNKNOWN, {}, "ck", "trace"},
    {901, kKernel, R"(\baiter::\w*quant\w*|\bprimus_turbo::(?:unary|reduce_row)_kernel<|^_(?:cast_transpose|amax_reduce)\w*_triton)",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kACT | kDISPATCH, "quant", "trace"},
    {908, kKernel, R"(^Cijk_)", kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kL1 | kL2 | kROUTER, "hipblaslt", "trace"},
    {930, kKernel, R"(^__amd_rocclr_(?:copy|fill)Buffer)", kOTHER, kPAYLOAD, kUNKNOWN, {}, "rocm", "source"},
    {940, kKernel, R"(^igemm_(?:fwd|bwd|wrw)_gtc|^SubTensorOpWith|^MIOpen\w+|^miopen\w+|\bck::tensor_operation::|_ZN2ck16tensor_operation)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "miopen", "trace"},
};
// clang-format on

}  // namespace

std::span<const StageRule> rocm_rules() {
  return kRules;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
// Work that is known to be no part of an expert layer: dense GEMMs, convolutions, embeddings, optimizers, generated
// code.
#include "analyzer/stage/rule_tables.h"

namespace moescope {
namespace {

using enum Part;
using enum Pass;
using enum RuleKind;
using enum Stage;

// clang-format off
constexpr StageRule kRules[] = {
    {911, kKernel,
     R"(^(?:void )?(?:volta|turing|maxwell|pascal|hopper|blackwell|cutlass_\d+)_\w*gemm|\bgemmSN_[NT]{2}_kernel|)"
     R"(\bgemm_kernel1x1|\bgemm2?_[NT]{2}_kernel|\bdot_kernel<|\breduce_1Block_kernel<|\bgemvx::|\bepilogue::impl::globalKernel<|^_block_scaled_block_gemm$)",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kL1 | kL2 | kROUTER, "gemm", "trace"},
    {912, kKernel, R"(\bcutlass::gemm::kernel::GemmUniversal<)",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kL1 | kL2 | kROUTER, "cutlass", "source"},
    {941, kKernel,
     R"(\bcudnn|_scudnn_|\bcask_cudnn::|cutlass_cudnn|\bimplicit_convolve_\w*gemm|\bexplicit_convolve_\w*gemm|winograd\w*|)"
     R"(ImplicitGemmConvolution|\bwgrad_alg\d\w*_engine|\bdgrad_engine|\bnaive_conv_\w+|\bconv_depthwise\w*)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "convolution", "trace"},
    {942, kKernel,
     R"(\bsplit_embedding_\w+|\bdense_embedding_\w+|\bfbgemm_gpu::|\bpermute_pooled_embs\w*|\brecat_copy_async_kernel|\bbounds_check_indices\w*|)"
     R"(\blinearize_(?:cache_indices|index)\w*|^(?:void )?embedding\w*_kernel\b|\bEmbeddingBag\w*)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "embedding", "trace"},
    {943, kKernel, R"(\bmulti_tensor_apply_kernel|\bmulti_tensor_\w+::|\bfused_adam\w*|\bFusedAdam\w*)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "optimizer", "trace"},
    {944, kKernel, R"(^triton__(?:\d+\w*)*$|\bnvfuser_\w+|\bCudaCodeGen::kernel|^(?:loop|input|wrapped|horizontal)_\w*(?:fusion|slice|concatenate|transpose|reduce)\w*$)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "generated", "trace"},
    {945, kKernel, R"(\bcuComputeGrad(?:Input|GammaBeta)\b|\bcuComputePartGrad\w+|\bcuApply\w*Norm\w*|\bcuWelford\w*)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "norm", "trace"},
    {946, kKernel, R"(\bflashinfer::sampling::|^(?:void )?(?:\w+::)*(?:apply_penalties|TopPSampling|apply_token_bitmask)\w*)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "sampling", "source"},
    {947, kKernel, R"(\btransformer_engine::(?:delayed_scaling_recipe|multi_tensor_\w+|normalization)::|\btransformer_engine::(?:\w+::)*unary_kernel|_ZN18transformer_engine12unary_kernel)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "te", "trace"},
    {948, kKernel, R"(fast_hadamard_transform_kernel)", kOTHER, kPAYLOAD, kUNKNOWN, {}, "hadamard", "trace"},
};
// clang-format on

}  // namespace

std::span<const StageRule> library_rules() {
  return kRules;
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
// Names that look like MoE communication and are not. They come first.
#include "analyzer/stage/rule_tables.h"

namespace moescope {
namespace {

using enum Part;
using enum Pass;
using enum RuleKind;
using enum Stage;

// clang-format off
constexpr StageRule kRules[] = {
    {5, kKernel, R"(flash_fwd_splitkv(?:_mla)?_combine_kernel)",
     kATTENTION, kPAYLOAD, kFORWARD, {}, "flash-attn", "trace"},
    {6, kKernel, R"(FlashAttnFwdCombine|FlashAttentionForwardCombine)",
     kATTENTION, kPAYLOAD, kFORWARD, {}, "flash-attn", "source"},
    {7, kKernel,
     R"(MergeStates?(?:InPlace)?Kernel|VariableLength(?:Merge|AttentionSum)|merge_(?:attn_))"
     R"(?states?_kernel|merge_attn_states)",
     kATTENTION, kPAYLOAD, kFORWARD, {}, "flashinfer", "source"},
    {8, kKernel,
     R"(gqa_fwd_batch_decode\w*combine|attn\w*_combine_kernel|_?combine_splitk_kernel|^_fwd_kernel_combine)",
     kATTENTION, kPAYLOAD, kFORWARD, {}, "triton-dist", "source"},
    {9, kKernel, R"(^_online_combine_kernel|^_combine_(?:kv|lse))", kOTHER, kPAYLOAD, kFORWARD, {}, "sglang", "source"},
    {10, kKernel, R"((?:^|::|_)mhc_|hc_prenorm_gemm|^expand_to_mhc)", kOTHER, kPAYLOAD, kUNKNOWN, {}, "mhc", "trace"},
    {11, kKernel, R"((?:pre|post)_attn\w*(?:a2a|all2all))", kALLTOALL, kPAYLOAD, kUNKNOWN, {}, "ulysses", "source"},
    {11, kKernel, R"(^_dispatch_qkv_store|all_to_all_gemm_consumer|gemm_a2a_producer)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "ulysses", "source"},
    {12, kKernel, R"(^triton_(?:poi|red|per|for|tem|unk|split_scan)_fused\w*(?:silu|swiglu))",
     kACT, kPAYLOAD, kUNKNOWN, StageSet(kACT) | kOTHER, "inductor", "trace"},
    {13, kKernel, R"(^triton_(?:poi|red|per|for|tem|unk|split_scan)_fused)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "inductor", "trace"},
    {20, kKernel,
     R"(at::native::.*(?:\bsilu_kernel|silu_backward_kernel|GeluCUDAKernelImpl|GeluBackwardCUDAKernelImpl|)"
     R"(\bglu_kernel|glu_backward))",
     kACT, kPAYLOAD, kUNKNOWN, StageSet(kACT) | kOTHER, "torch", "trace"},
    {21, kKernel, R"(at::native::.*(?:gatherTopK|topk|bitonicSortKVInPlace|kernelHistogram1D))",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kROUTER, "torch", "trace"},
    {22, kKernel, R"(at::native::.*(?:cunn_SoftMax|softmax_warp|CatArrayBatchedCopy|cumsum|scan_dim))",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kROUTER | kPERMUTE, "torch", "trace"},
    {23, kKernel,
     R"(at::native::.*(?:index_elementwise_kernel|indexSelect|vectorized_gather_kernel|_scatter_gather_elementwise_kernel|)"
     R"(indexFunc(?:Large|Small)Index|index_put|indexing_backward))",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kPERMUTE | kUNPERMUTE, "torch", "trace"},
    {24, kKernel, R"(at::native::reduce_kernel<.*ReduceOp<c10::BFloat16.*sum_functor)",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kUNPERMUTE, "torch", "trace"},
    {25, kKernel, R"(^(?:void )?(?:at::native::|_ZN2at6native))", kOTHER, kPAYLOAD, kUNKNOWN, {}, "torch", "trace"},
    {26, kKernel,
     R"(^(?:void )?(?:\(anonymous namespace\)|<unnamed>)::(?:softmax_warp_(?:forward|backward))"
     R"(|elementwise_kernel_with_index))",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kROUTER, "torch", "trace"},
    {26, kKernel, R"(^(?:void )?(?:\(anonymous namespace\)|<unnamed>)::indexing_backward_kernel)",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kPERMUTE | kUNPERMUTE, "torch", "trace"},
    {27, kKernel, R"(^(?:void )?at::cuda::(?:\w+::)*kernelHistogram1D)",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kROUTER | kPERMUTE, "torch", "trace"},
    {30, kKernel, R"(^(?:void )?(?:at_cuda_detail::)?(?:cub|thrust)::|^_ZN(?:3cub|6thrust|14at_cuda_detail))",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kPERMUTE, "cub", "trace"},
    {31, kKernel, R"(^(?:void )?(?:rocprim|hipcub|rocthrust)::|^_ZN(?:7rocprim|6hipcub))",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kPERMUTE, "rocprim", "trace"},
};
// clang-format on

}  // namespace

std::span<const StageRule> guard_rules() {
  return kRules;
}

}  // namespace moescope

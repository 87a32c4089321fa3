// SPDX-License-Identifier: Apache-2.0
// Attention, dense GEMMs, norms, quantisation.
#include "analyzer/stage/rule_tables.h"

namespace moescope {
namespace {

using enum Part;
using enum Pass;
using enum RuleKind;
using enum Stage;

// clang-format off
constexpr StageRule kRules[] = {
    {850, kKernel,
     R"(FlashAttn\w*Bwd|flash_bwd|fmha_?\w*[bB]wd|FmhaKernelBwd|attention_backward|_attn_bwd|)"
     R"(BlackwellFusedMultiHeadAttentionBackward)",
     kATTENTION, kPAYLOAD, kBACKWARD, {}, "attention", "trace"},
    {851, kKernel,
     R"(\bflash(?:_attn)?::|FlashAttn|FlashAttention|flash_fwd|FlashMLA|flash_mla|flashmla|)"
     R"(mla_combine|splitkv_mla)",
     kATTENTION, kPAYLOAD, kUNKNOWN, {}, "attention", "trace"},
    {852, kKernel,
     R"(\b(?:cudnn_\w*(?:sdpa|fprop_flash|bprop_flash|mha|fmha)\w*|cudnn_generated_fort_native_sdpa\w*))"
     R"(|sdpa_(?:fprop|bprop|sm\d+)\w*|\bcunn_SoftMaxForward_attn)",
     kATTENTION, kPAYLOAD, kUNKNOWN, {}, "attention", "source"},
    {853, kKernel,
     R"(^fmha\w*|\bfmha::|FmhaKernel|fmhaSm\d+\w*|\bmultiHeadAttention|FusedMultiHeadAttention|)"
     R"(\bkernel_mha\b|\bmmha::|masked_multihead_attention|\bxqa_kernel)",
     kATTENTION, kPAYLOAD, kUNKNOWN, {}, "attention", "trace"},
    {854, kKernel,
     R"(BatchPrefillWith|BatchDecodeWith|SinglePrefillWith|SingleDecodeWith|\bPagedAttention|)"
     R"(paged_attention_v[12]|BatchMLAPage|PersistentKernelTemplate<.*Attention)",
     kATTENTION, kPAYLOAD, kFORWARD, {}, "attention", "source"},
    {855, kKernel,
     R"(^_fwd_kernel(?:_stage[12]|_aligned|_flash_attn\w*)?$|^_fwd_grouped_kernel_stage[12]|)"
     R"(^_attn_fwd\w*|^kernel_unified_attention\w*|^_fwd_mla\w*|^_decode_att\w*|^_fwd_kernel_flash)",
     kATTENTION, kPAYLOAD, kFORWARD, {}, "attention", "trace"},
    {856, kKernel,
     R"(mqa_logits|_indexer\w*kernel|indexer_k\w*|fp8_paged_mqa|sparse_attn\w*|topk_transform\w*kernel|)"
     R"(fast_topk\w*kernel)",
     kATTENTION, kPAYLOAD, kUNKNOWN, {}, "attention", "trace"},
    {857, kKernel,
     R"([rR]otary|[rR]ope(?:Quant|Update|_|Kernel|\b)|fused_?[qQ][kK]_?[nN]orm|fusedQKNormRopeKernel|)"
     R"(QNormRope|fused_rope)",
     kATTENTION, kPAYLOAD, kUNKNOWN, {}, "attention", "trace"},
    {858, kKernel,
     R"(reshape_and_cache\w*|concat_(?:and_cache_)?mla\w*|concat_mla\w*|set_mla_kv_buffer\w*|)"
     R"(store_kv_?cache\w*|_fwd_kernel_(?:destindex_copy_kv|copy_kv_index_to_req|repack_kv_index)\w*|KVCache\w*Kernel|applyBiasRope\w*|append_paged_kv\w*|AppendPaged\w*|)"
     R"(kv_cache\w*kernel|_copy_page_indices_kernel|prepare_varlen_num_blocks_kernel|create_flashinfer_kv_indices\w*|)"
     R"(get_mla_metadata\w*)",
     kATTENTION, kPAYLOAD, kUNKNOWN, {}, "attention", "trace"},
    {859, kKernel,
     R"(\bcompute_attn_ws<|\bunified_attention|causal_conv1d\w*|chunk_gated_delta\w*|fused_recurrent\w*|)"
     R"(selective_scan\w*|_chunk_(?:scan|state|cumsum)\w*)",
     kATTENTION, kPAYLOAD, kUNKNOWN, {}, "attention", "source"},
    {900, kKernel,
     R"(per_token_(?:group_)?(?:quant|cast)\w*|per_channel_cast\w*|per_block_cast\w*|scaled_fp8_quant\w*|)"
     R"(dynamic_per_token_scaled\w*|quantize_with_block_size|cvt_fp16_to_fp4|group_(?:quantize|)"
     R"(cast)\w*kernel|quantize_mxfp8\w*|quantize_\w*kernel|_fp8_quantize\w*|mxfp8_group_quant\w*|)"
     R"(cast_back_impl|pack_fp32_into_ue8m0|transpose_fp32|batched_transpose|convertSf\w*Kernel|)"
     R"(_per_token_\w*quant\w*)",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kACT | kDISPATCH, "quant", "trace"},
    {910, kKernel,
     R"(^nvjet_|_xmma_gemm|^cutlass\d*x?_|^cublas|\bcublasLt::|gemmk1_kernel|gemv\w*kernel|)"
     R"(\bgemvNSP|splitKreduce_kernel|^ampere_|^sm\d+_xmma|^void cutlass::Kernel2?<|_w8a8_(?:triton_))"
     R"(?block_\w*|\bfused_a_gemm_kernel|PersistentDenseGemmKernel)",
     kOTHER, kPAYLOAD, kUNKNOWN, StageSet(kOTHER) | kL1 | kL2 | kROUTER, "gemm", "trace"},
    {920, kKernel, R"([lL]ayer_?[nN]orm|[rR][mM][sS]_?[nN]orm|[gG]roup_?[nN]orm|ln_(?:fwd|bwd)\w*kernel|FusedAddRMSNorm)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "norm", "trace"},
    {930, kKernel, R"(^(?:memcpy(?:32|128)?(?:_post)?|memset(?:32)?)$|^_copy_tensor_kernel$)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "graph", "trace"},
};
// clang-format on

}  // namespace

std::span<const StageRule> dense_rules() {
  return kRules;
}

}  // namespace moescope

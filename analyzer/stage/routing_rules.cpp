// SPDX-License-Identifier: Apache-2.0
// Router, permute and unpermute: what happens to tokens on one device around the exchange.
#include "analyzer/stage/rule_tables.h"

namespace moescope {
namespace {

using enum Part;
using enum Pass;
using enum RuleKind;
using enum Stage;

// clang-format off
constexpr StageRule kRules[] = {
    {300, kKernel, R"(\btopkGating\w*<|\btopkGatingSoftmax\b)", kROUTER, kPAYLOAD, kFORWARD, {}, "vllm", "trace"},
    {301, kKernel, R"(\b(?:moeSoftmax|moeSigmoid|moeTopK|moeTopKFast|moeTopKSigmoid)<|^(?:void )?moeTopK\b)",
     kROUTER, kPAYLOAD, kFORWARD, {}, "vllm", "trace"},
    {302, kKernel,
     R"(\bgrouped_topk_(?:fused|single)?\w*kernel|\bsingle_group_topk\w*|\bgroup_idx_and_topk_idx_kernel|)"
     R"(\btopk_with_k2_kernel)",
     kROUTER, kPAYLOAD, kFORWARD, {}, "vllm", "source"},
    {303, kKernel,
     R"(\bdsv4HashTopk\w*|\bmoe_hash_topk_fused|^_hash_topk_triton_kernel|^_dsv4_topk_kernel|)"
     R"(^_masked_topk_sum_kernel)",
     kROUTER, kPAYLOAD, kFORWARD, {}, "vllm", "source"},
    {304, kKernel,
     R"(\brouter_gemm_kernel(?:_bf16_output|_float_output)?\b|\bdsv3_router_gemm\b|\btrtllm_dsv3_router_gemm::)",
     kROUTER, kPAYLOAD, kFORWARD, {}, "vllm", "source"},
    {305, kKernel,
     R"(\bcustomMoeRoutingKernel|\bdeepseek_v3_topk_kernel|\bnoAuxTc\w*|^kernel_cake_deepseek_routing\w*)",
     kROUTER, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {306, kKernel,
     R"(\bmoe::dev::routing::(?:routing\w+::)?(?:routingMainKernel|routingIndices(?:Block|)"
     R"(DynBlock|Cluster|Warp|HistogramScores)Kernel))",
     kROUTER, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {307, kKernel, R"(\bmoe::dev::routing::(?:routing\w+::)?routingIndices(?:Histogram|Offsets|Coop)Kernel)",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {308, kKernel, R"(\bmoe::dev::routing::)", kROUTER, kPAYLOAD, kFORWARD, {}, "trtllm", "source"},
    {310, kKernel, R"(\bfused_router::\w*backward\w*)", kROUTER, kPAYLOAD, kBACKWARD, {}, "te", "source"},
    {311, kKernel, R"(\bfused_router::\w+)", kROUTER, kPAYLOAD, kFORWARD, {}, "te", "source"},
    {312, kKernel,
     R"(\b(?:kimi_k2_)?moe_fused_gate_kernel(?:_\w+)?|\bfused_moe_router_(?:cudacore|tensorcore))"
     R"(_kernel|^_router_triton_kernel|^_fused_append_shared_experts\w*|^biased_grouped_topk\w*)",
     kROUTER, kPAYLOAD, kFORWARD, {}, "sglang", "source"},
    {313, kKernel,
     R"(^_?(?:count_routed_per_rank_kernel|waterfill_expand_kernel|eplb_map_and_record_i32_kernel|)"
     R"(globalize_recv_topk_idx_kernel|pack_topk_ids_weights_kernel)|^_eplb_\w+)",
     kROUTER, kPAYLOAD, kFORWARD, {}, "sglang", "source"},
    {314, kKernel,
     R"(^_?(?:topk_forward|topk_backward|topk)$|^_topk_(?:forward|backward)\b|^_softmax_fwd_small_kernel)",
     kROUTER, kPAYLOAD, kUNKNOWN, {}, "triton_kernels", "trace"},
    {315, kKernel, R"(\bindex_shuffling_kernel)",
     StageSet(kROUTER) | kPERMUTE, kPAYLOAD, kFORWARD, {}, "fbgemm", "source"},
    {316, kKernel,
     R"(^(?:top2_sum_gate|topk_gate|topk_sum_and_topk_group_idx|aux_fi|normalize_weight|inplace_unique_group_indices|)"
     R"(mask_indices_by_tp)_kernel)",
     kROUTER, kPAYLOAD, kUNKNOWN, {}, "tilekernels", "source"},
    {317, kKernel, R"(\bcuda::(?:topk_sum_and_topk_idx|aux_fi_impl|unique_group_indices_impl)\b)",
     kROUTER, kPAYLOAD, kUNKNOWN, {}, "dpsk", "trace"},
    {318, kKernel, R"(^cumsum_fn$)", kROUTER, kPAYLOAD, kFORWARD, StageSet(kROUTER) | kPERMUTE, "tutel", "source"},
    {319, kKernel, R"(\btop_k_gating_kernel)", kROUTER, kPAYLOAD, kFORWARD, {}, "deepspeed", "source"},
    {320, kKernel, R"(TopK_Softmax|^_topk_bwd_scatter_small_kernel|^kernel_cutlass_\w*TopK\w*Softmax)",
     kROUTER, kPAYLOAD, kUNKNOWN, {}, "sonicmoe", "source"},
    {321, kKernel, R"(^_topk_scores_grad_kernel)", kROUTER, kPAYLOAD, kBACKWARD, {}, "torchtitan", "source"},
    {322, kKernel, R"(\bgate_topk_sm\d+_wrapper<)", kROUTER, kPAYLOAD, kFORWARD, {}, "mirage", "trace"},
    {323, kKernel, R"(\bsinkhorn_kernel)", kROUTER, kPAYLOAD, kFORWARD, {}, "megatron", "source"},
    {400, kKernel,
     R"(\bmoe_(?:lora_)?(?:merged_)?align_block_size\w*kernel\w*|\bbatched_moe_align_block_size\b|)"
     R"(\bmoe_align_block_size\w*)",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "vllm", "trace"},
    {400, kKernel, R"(^moe_align(?:\d|_fused)_kernel$|^_gen_cumsum_pad0_kernel$)",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "lightllm", "trace"},
    {401, kKernel, R"(\b(?:count_and_sort_expert_tokens_kernel|lora_count_and_sort_expert_tokens_kernel))",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "vllm", "trace"},
    {402, kKernel, R"(\bexpandInputRowsKernel)", kPERMUTE, kPAYLOAD, kFORWARD, {}, "vllm", "source"},
    {403, kKernel, R"(\bfinalizeMoeRouting(?:NoFilling)?Kernel)", kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "vllm", "source"},
    {404, kKernel, R"(\bmoe::dev::permute::)", kPERMUTE, kPAYLOAD, kFORWARD, {}, "trtllm", "source"},
    {405, kKernel, R"(\bmoe::dev::finalize::|\bmoeFinalizeKernel\w*)",
     kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {406, kKernel,
     R"(\b(?:fusedBuildExpertMapsSortFirstTokenKernel|buildMinLatencyActiveExpertMapsKernel|)"
     R"(blockExpertPrefixSumKernel|globalExpertPrefixSum(?:Large)?Kernel|mergeExpertPrefixSumKernel|)"
     R"(computeExpertFirstTokenOffsetKernel|preprocessTopkIdKernel|shuffleInputRowsKernel))"
     R"(\b)",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "trtllm", "trace"},
    {407, kKernel,
     R"(\b(?:computeStridesTmaWarpSpecializedKernel|computeFP8DequantScaleKernel|loraAddBiasKernel|)"
     R"(setupLoraWorkspace\w*)\b)",
     kPERMUTE, kMETA, kFORWARD, {}, "trtllm", "trace"},
    {408, kKernel,
     R"((?:^|\b|__?)(?:get_group_gemm_starts|mxfp4_get_group_gemm_starts|int4_fp8_get_group_gemm_starts|)"
     R"(compute_problem_sizes\w*|compute_expert_offsets|compute_expert_blockscale_offsets|)"
     R"(compute_arg_sorts|compute_batched_moe_data|get_ep_expert_info|groupedGemmPreComputeKernel|)"
     R"(sm100\w*PreComputeKernel|set_stacked_kernel_args_kernel|set_grouped_gemm_args\w*))"
     R"(\b)",
     kPERMUTE, kMETA, kFORWARD, {}, "vllm", "source"},
    {410, kKernel, R"(\bmoePermuteKernel<)", kPERMUTE, kPAYLOAD, kFORWARD, {}, "trtllm", "source"},
    {411, kKernel, R"(\bmoeUnpermuteKernel<)", kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "trtllm", "source"},
    {412, kKernel, R"(\bmoeOutputMemsetKernel)", kUNPERMUTE, kMETA, kFORWARD, {}, "trtllm", "source"},
    {413, kKernel, R"(\bmoe_permute_kernel<[^<>]*, (?:\(bool\)1|true)>)",
     kUNPERMUTE, kPAYLOAD, kBACKWARD, {}, "te", "source"},
    {414, kKernel, R"(\bmoe_(?:permute_topK_|permute_)row_map|\bmoe_permute_kernel<|\bmoe_permute_topK_kernel<)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "te", "source"},
    {415, kKernel, R"(\bmoe_unpermute_kernel<|\bmoe_recover_topK_kernel<)",
     kUNPERMUTE, kPAYLOAD, kUNKNOWN, {}, "te", "source"},
    {416, kKernel, R"(^_(?:row_id_map_pass_[123]|make_chunk_sort_map)_kernel)",
     kPERMUTE, kMETA, kFORWARD, {}, "te", "trace"},
    {417, kKernel, R"(^_permute_kernel(?:_\w+)?$)", kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "te", "trace"},
    {418, kKernel, R"(^_unpermute_bwd_with_merging_probs_kernel)", kUNPERMUTE, kPAYLOAD, kBACKWARD, {}, "te", "source"},
    {419, kKernel, R"(^_unpermute_kernel(?:_\w+)?$)", kUNPERMUTE, kPAYLOAD, kUNKNOWN, {}, "te", "trace"},
    {420, kKernel, R"(^_sort_chunks_by_map_kernel)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, StageSet(kPERMUTE) | kUNPERMUTE, "te", "trace"},
    {421, kKernel, R"(\bmulti_padding_kernel)", kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "te", "source"},
    {422, kKernel, R"(\bmulti_unpadding_kernel)", kUNPERMUTE, kPAYLOAD, kUNKNOWN, {}, "te", "source"},
    {423, kKernel,
     R"(^_(?:indices_to_multihot|multihot_to_indices|pad_routing_map|count_local_tokens\w*|)"
     R"(prefix_sum|init_permutation_map|permute_tokens|permute_quantize_mxfp8|fused_metadata|)"
     R"(init_sorted_ids|scatter_token_indices|fill_expert_block_ids)_kernel\w*|^_count_local_tokens\w*|)"
     R"(^_prefix_sum_kernel)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "megatron", "source"},
    {424, kKernel, R"(^_(?:unpermute_tokens(?:_in_expert_order)?|zero_output_rows|moe_sum)_kernel)",
     kUNPERMUTE, kPAYLOAD, kUNKNOWN, {}, "megatron", "source"},
    {425, kKernel, R"(^paged_stash_(?:copy|pop)_kernel)", kOTHER, kPAYLOAD, kUNKNOWN, {}, "megatron", "source"},
    {430, kKernel,
     R"(^(?:deepep_permute_triton_kernel|deepep_compute_src2dst_triton_kernel|compute_src2dst_triton_kernel|)"
     R"(pre_reorder_triton_kernel\w*|fill_gateup_input_triton_kernel|fused_moe_dispatch_index_triton_kernel|)"
     R"(deepep_run_moe_deep_preprocess\w*|compute_seg_indptr_triton_kernel|compute_masked_m_triton_kernel|)"
     R"(compute_m_(?:range|num_tiles)\w*|_fwd_kernel_ep_scatter_[12]))",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "sglang", "trace"},
    {431, kKernel,
     R"(^(?:deepep_post_reorder_triton_kernel|post_reorder_triton_kernel\w*|post_reorder_deepgemm_triton_kernel|)"
     R"(_fwd_kernel_ep_gather|_moe_sum_reduce_kernel|_combine_topk_routes_kernel|moe_fused_mul_sum_kernel))",
     kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "sglang", "source"},
    {432, kKernel,
     R"(\b(?:moe_sum_reduce_kernel\w*|moe_sum_(?:vec(?:_dynamic)?_|scalar_)?kernel|apply_shuffle_mul_sum_kernel))"
     R"(\b)",
     kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "sglang", "trace"},
    {433, kKernel, R"(\bshuffleRowsKernel<|\bshuffleInputRowsKernel)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "sglang", "source"},
    {434, kKernel,
     R"(^_count_expert_num_tokens|^compute_identity_kernel|^_unpermute_activation_kernel|)"
     R"(^_compute_aligned_M\w*)",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "vllm", "source"},
    {440, kKernel,
     R"(^_(?:combined_routing\w*|routing_compute\w*|routing_clear\w*|routing_memset\w*|sum_bitmatrix_(?:rows|)"
     R"(memset)\w*|expt_data\w*|pack_bitmatrix|bitmatrix\w*|compute_indx\w*|keyed_add\w*|)"
     R"(sum_bitmatrix\w*)|^pack_bitmatrix)",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "triton_kernels", "trace"},
    {441, kKernel,
     R"(^_(?:compute_writeback_idx|finalize_matmul\w*|finalize_scatter\w*|reduce_grouped\w*|)"
     R"(reduce)$|^_(?:compute_writeback_idx|finalize_matmul|reduce_grouped))",
     kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "triton_kernels", "trace"},
    {442, kKernel, R"(^_(?:padded|binned)_copy(?:_wgrad)?$)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, StageSet(kPERMUTE) | kUNPERMUTE, "megablocks", "source"},
    {443, kKernel,
     R"(\bConstructIndicesKernel|\bReplicate(?:Forward|Backward)Kernel|^_row_indices_kernel|)"
     R"(^_?topology\w*kernel)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "megablocks", "source"},
    {444, kKernel, R"(\b(?:FillArguments|ZeroOutK0Outputs|IgnoreK0Problems)\b)",
     kPERMUTE, kMETA, kUNKNOWN, {}, "grouped_gemm", "source"},
    {445, kKernel,
     R"(\b(?:assign_pos_kernel|expert_count_kernel|limit_by_capacity_kernel|prune_gate_by_capacity_kernel))"
     R"(\b)",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "fastmoe", "source"},
    {446, kKernel, R"(\bcolumn_reduce\b)", kOTHER, kPAYLOAD, kBACKWARD, {}, "fastmoe", "source"},
    {447, kKernel,
     R"(\b(?:calc_scatter_index_kernel|sort_scatter_index_to_per_expert_kernel|calc_gather_index_kernel|)"
     R"(get_sorted_problem_schedule\w*|prepare_workspace_kernel|make_workspace_kernel|ep_index_filter_kernel|)"
     R"(transport_kernel|calc_gather_scatter_index_kernel)\b|^calc_(?:gather|scatter)\w*index\w*|)"
     R"(^histogram_block_kernel)",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "flux", "source"},
    {448, kKernel, R"(\bmoe_scatter_kernel)", kPERMUTE, kPAYLOAD, kFORWARD, {}, "deepspeed", "source"},
    {449, kKernel, R"(\bmoe_gather_kernel)", kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "deepspeed", "source"},
    {450, kKernel, R"(^_fill_indices_kernel)",
     kPERMUTE, kPAYLOAD, kFORWARD, StageSet(kPERMUTE) | kOTHER, "deepspeed", "source"},
    {451, kKernel, R"(^_fbgemm_(?:gather_scale\w*|combine_or_split_shuffling\w*))",
     kPERMUTE, kPAYLOAD, kFORWARD, {}, "fbgemm", "source"},
    {452, kKernel, R"(^_fbgemm_scatter_add\w*)", kUNPERMUTE, kPAYLOAD, kFORWARD, {}, "fbgemm", "source"},
    {453, kKernel, R"(^(?:group_count|get_fused_mapping|expand_to_fused(?:_with_\w+)?)_kernel)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "tilekernels", "source"},
    {454, kKernel, R"(^reduce_fused(?:_\w+)?_kernel)", kUNPERMUTE, kPAYLOAD, kUNKNOWN, {}, "tilekernels", "source"},
    {455, kKernel, R"(\bcuda::(?:expand_to_fused\w*|get_fused_mapping|clean_and_count_expert)\b)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "dpsk", "trace"},
    {456, kKernel, R"(\bcuda::reduce_fused_impl\b)", kUNPERMUTE, kPAYLOAD, kUNKNOWN, {}, "dpsk", "trace"},
    {457, kKernel,
     R"(^_(?:dedup_bincount|dedup_scatter_expand|build_expert_idxs|adjust_expand_idx|reduce_and_prefix_sum|)"
     R"(compute_group_offsets|scatter_for_grouped_gemm)_kernel)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "pith", "source"},
    {458, kKernel, R"(\bcount_cumsum_cuda_kernel)", kPERMUTE, kPAYLOAD, kFORWARD, {}, "sonicmoe", "source"},
    {459, kKernel, R"(^token_gather_sum_kernel)", kUNPERMUTE, kPAYLOAD, kUNKNOWN, {}, "sonicmoe", "source"},
    {460, kKernel, R"(^execute$)",
     kPERMUTE, kPAYLOAD, kUNKNOWN, StageSet(kPERMUTE) | kUNPERMUTE | kROUTER, "tutel", "source"},
    {461, kKernel, R"(^(?:void )?permute_kernel<)", kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "hybrid-ep", "source"},
    {462, kKernel, R"(^(?:void )?unpermute_kernel<)", kUNPERMUTE, kPAYLOAD, kUNKNOWN, {}, "hybrid-ep", "source"},
    {463, kKernel, R"(\bpad_tokens_per_expert_kernel)", kPERMUTE, kPAYLOAD, kUNKNOWN, {}, "hybrid-ep", "source"},
    {464, kKernel, R"(\bprepare_grouped_gemm_data<|^_?generate_permute_indices_kernel|^_fill_indices_kernel)",
     kPERMUTE, kMETA, kUNKNOWN, {}, "torch", "source"},
    {465, kKernel,
     R"(\b(?:setup_grouped_gemm_kernel|grouped_bias_add_kernel|compute_grouped_tensor_offsets_kernel|)"
     R"(convert_int32_to_int64\w*_kernel))",
     kPERMUTE, kMETA, kUNKNOWN, {}, "te", "source"},
    {466, kKernel, R"(\bgrouped_gemm::cuda::utils::fill_tensormaps_kernel)",
     kPERMUTE, kMETA, kUNKNOWN, {}, "dpsk", "trace"},
};
// clang-format on

}  // namespace

std::span<const StageRule> routing_rules() {
  return kRules;
}

}  // namespace moescope

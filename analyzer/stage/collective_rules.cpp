// SPDX-License-Identifier: Apache-2.0
// Collectives by kernel, by NCCL call, and copies.
#include "analyzer/stage/rule_tables.h"

namespace moescope {
namespace {

using enum Part;
using enum Pass;
using enum RuleKind;
using enum Stage;

// clang-format off
constexpr StageRule kRules[] = {
    {800, kKernel, R"(^(?:_Z\d+)?nccl(?:DevKernel|Kernel)_SendRecv)",
     kSENDRECV, kPAYLOAD, kUNKNOWN, StageSet(kDISPATCH) | kCOMBINE | kSENDRECV, "nccl", "trace"},
    {801, kKernel, R"(^(?:_Z\d+)?nccl(?:DevKernel|Kernel)_(?:AllReduce|AllReduce\w*))",
     kALLREDUCE, kPAYLOAD, kUNKNOWN, {}, "nccl", "trace"},
    {802, kKernel, R"(^(?:_Z\d+)?nccl(?:DevKernel|Kernel)_ReduceScatter)",
     kREDUCESCATTER, kPAYLOAD, kUNKNOWN, StageSet(kREDUCESCATTER) | kCOMBINE, "nccl", "trace"},
    {803, kKernel, R"(^(?:_Z\d+)?nccl(?:DevKernel|Kernel)_AllGather)",
     kALLGATHER, kPAYLOAD, kUNKNOWN, StageSet(kALLGATHER) | kDISPATCH, "nccl", "trace"},
    {804, kKernel, R"(^(?:_Z\d+)?nccl(?:DevKernel|Kernel)_Broadcast)",
     kBROADCAST, kPAYLOAD, kUNKNOWN, {}, "nccl", "source"},
    {804, kKernel, R"(^(?:_Z\d+)?nccl(?:DevKernel|Kernel)_(?:Reduce_|Generic))",
     kCOLLECTIVE, kPAYLOAD, kUNKNOWN, {}, "nccl", "source"},
    {805, kKernel, R"(^(?:_Z\d+)?ncclSymk(?:Dev)?Kernel_AllReduce)",
     kALLREDUCE, kPAYLOAD, kUNKNOWN, {}, "nccl", "trace"},
    {806, kKernel, R"(^(?:_Z\d+)?ncclSymk(?:Dev)?Kernel_ReduceScatter)",
     kREDUCESCATTER, kPAYLOAD, kUNKNOWN, StageSet(kREDUCESCATTER) | kCOMBINE, "nccl", "source"},
    {807, kKernel, R"(^(?:_Z\d+)?ncclSymk(?:Dev)?Kernel_AllGather)",
     kALLGATHER, kPAYLOAD, kUNKNOWN, StageSet(kALLGATHER) | kDISPATCH, "nccl", "source"},
    {808, kKernel, R"(^(?:_Z\d+)?nccl\w*All[Tt]o[Aa]ll)",
     kALLTOALL, kPAYLOAD, kUNKNOWN, StageSet(kDISPATCH) | kCOMBINE, "nccl", "unverified"},
    {809, kKernel, R"(^(?:_Z\d+)?nccl(?:Dev|Symk)?\w*[Kk]ernel)",
     kCOLLECTIVE, kPAYLOAD, kUNKNOWN, {}, "nccl", "source"},
    {810, kKernel, R"(^(?:_Z\d+)?mscclKernel_)",
     kCOLLECTIVE, kPAYLOAD, kUNKNOWN, StageSet(kCOLLECTIVE) | kALLREDUCE | kALLTOALL, "msccl", "source"},
    {811, kKernel, R"(\bmscclpp::(?:\w+::)*allreduce\w*)", kALLREDUCE, kPAYLOAD, kUNKNOWN, {}, "mscclpp", "source"},
    {811, kKernel, R"(\bmscclpp::(?:\w+::)*allgather\w*)",
     kALLGATHER, kPAYLOAD, kUNKNOWN, StageSet(kALLGATHER) | kDISPATCH, "mscclpp", "source"},
    {820, kKernel,
     R"(\bcross_device_reduce_[12]stage\w*|\bmultimem_(?:one_shot_)?all_?reduce\w*|\b(?:one|)"
     R"(two)_?shot_all_?reduce\w*|\ball_?reduce_(?:one|two)_?shot\w*|\ballreduce_fusion_kernel\w*|)"
     R"(\blamport_style_(?:one|two)_shot\w*|\b(?:one|two)[sS]hotAllReduce\w*|\boneShotAllReduceKernel|\ballreduce_prototype_twoshot|)"
     R"(\btwoShotAllReduceKernel)",
     kALLREDUCE, kPAYLOAD, kUNKNOWN, {}, "custom-ar", "trace"},
    {821, kKernel, R"(\buserbuffers_fp16_sum_inplace_gpu_(?:mc|rr|rw)_rs\w*)",
     kREDUCESCATTER, kPAYLOAD, kUNKNOWN, {}, "te-ub", "source"},
    {822, kKernel, R"(\buserbuffers_fp16_sum_inplace_gpu_(?:mc|rr|rw)_ag\w*)",
     kALLGATHER, kPAYLOAD, kUNKNOWN, {}, "te-ub", "source"},
    {823, kKernel, R"(\buserbuffers_fp16_sum_inplace_gpu_(?:mc|rr|rw)\b)",
     kALLREDUCE, kPAYLOAD, kUNKNOWN, {}, "te-ub", "source"},
    {823, kKernel, R"(\bkuserbuffers_\w+)", kSENDRECV, kPAYLOAD, kUNKNOWN, {}, "te-ub", "source"},
    {824, kKernel, R"(^_multimem_all_gather_kernel)",
     kALLGATHER, kPAYLOAD, kFORWARD, StageSet(kALLGATHER) | kDISPATCH, "megatron", "source"},
    {825, kKernel, R"(^_multimem_reduce_scatter\w*_kernel)",
     kREDUCESCATTER, kPAYLOAD, kFORWARD, StageSet(kREDUCESCATTER) | kCOMBINE, "megatron", "source"},
    {826, kKernel, R"(^ubx_kernel_allreduce\w*)", kALLREDUCE, kPAYLOAD, kUNKNOWN, {}, "nccl-ubx", "source"},
    {827, kKernel, R"(^ubx_kernel_(?:allgather|ag)\w*)", kALLGATHER, kPAYLOAD, kUNKNOWN, {}, "nccl-ubx", "source"},
    {828, kKernel, R"(^ubx_kernel_(?:reducescatter|rs)\w*)",
     kREDUCESCATTER, kPAYLOAD, kUNKNOWN, {}, "nccl-ubx", "source"},
    {829, kKernel, R"(\breduce_scatter\w*kernel|\b(?:multimem_)?reduce_scatter\w*)",
     kREDUCESCATTER, kPAYLOAD, kUNKNOWN, StageSet(kREDUCESCATTER) | kCOMBINE, "torch-symm", "source"},
    {830, kKernel, R"(\ball_?gather\w*kernel|\bmultimem_all_gather\w*)",
     kALLGATHER, kPAYLOAD, kUNKNOWN, StageSet(kALLGATHER) | kDISPATCH, "torch-symm", "source"},
    {831, kKernel,
     R"(\bnvshmemi?_\w+|\b(?:barrier|sync|quiet|signal\w*|fcollect|broadcast|reduce\w*)_\w*on_stream_kernel)",
     kCOLLECTIVE, kSYNC, kUNKNOWN, {}, "nvshmem", "source"},
    {5, kCollective, R"(^ncclEpDispatch\b)", kDISPATCH, kPAYLOAD, kUNKNOWN, {}, "nccl-ep", "source"},
    {5, kCollective, R"(^ncclEpCombine\b)", kCOMBINE, kPAYLOAD, kUNKNOWN, {}, "nccl-ep", "source"},
    {5, kCollective, R"(^ncclEp(?:UpdateHandle|InitHandle|CreateGroup|Complete)\b)",
     kDISPATCH, kMETA, kUNKNOWN, {}, "nccl-ep", "source"},
    {10, kCollective, R"(^nccl(?:AlltoAll|AllToAll)v?\b)",
     kDISPATCH, kPAYLOAD, kUNKNOWN, StageSet(kDISPATCH) | kCOMBINE, "nccl", "source"},
    {11, kCollective, R"(^nccl(?:Send|Recv)\b)",
     kSENDRECV, kPAYLOAD, kUNKNOWN, StageSet(kDISPATCH) | kCOMBINE | kSENDRECV, "nccl", "source"},
    {12, kCollective, R"(^ncclAllReduce\b)", kALLREDUCE, kPAYLOAD, kUNKNOWN, {}, "nccl", "source"},
    {13, kCollective, R"(^ncclReduceScatter\b)",
     kREDUCESCATTER, kPAYLOAD, kUNKNOWN, StageSet(kREDUCESCATTER) | kCOMBINE, "nccl", "source"},
    {14, kCollective, R"(^ncclAllGatherV?\b)",
     kALLGATHER, kPAYLOAD, kUNKNOWN, StageSet(kALLGATHER) | kDISPATCH, "nccl", "source"},
    {15, kCollective, R"(^nccl(?:Broadcast|Bcast)\b)", kBROADCAST, kPAYLOAD, kUNKNOWN, {}, "nccl", "source"},
    {15, kCollective, R"(^nccl(?:Reduce|Gather|Scatter)\b)", kCOLLECTIVE, kPAYLOAD, kUNKNOWN, {}, "nccl", "source"},
    {15, kCollective, R"(^nccl(?:GroupStart|GroupEnd|Comm\w+|Put\w*|Signal|WaitSignal)\b)",
     kOTHER, kPAYLOAD, kUNKNOWN, {}, "nccl", "source"},
    {10, kCopy, R"(^(?:Memcpy )?P(?:eer)?to?P|PtoP|Peer-to-Peer)",
     kSENDRECV, kPAYLOAD, kUNKNOWN, {}, "memcpy", "trace"},
    {20, kCopy, R"(DtoH|Device-to-Host)", kMEMCPY, kPAYLOAD, kUNKNOWN, {}, "memcpy", "trace"},
    {30, kCopy, R"(HtoD|Host-to-Device)", kMEMCPY, kPAYLOAD, kUNKNOWN, {}, "memcpy", "trace"},
    {40, kCopy, R"(DtoD|Device-to-Device)", kMEMCPY, kPAYLOAD, kUNKNOWN, {}, "memcpy", "trace"},
};
// clang-format on

}  // namespace

std::span<const StageRule> collective_rules() {
  return kRules;
}

}  // namespace moescope

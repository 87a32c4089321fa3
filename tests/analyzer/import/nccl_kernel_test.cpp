// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nccl_kernel.h"

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("NCCL's kernels of all generations say operation, algorithm and protocol") {
  struct Row {
    const char *name, *op, *algorithm, *protocol;
  };
  for (const Row& row : {
           Row{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "AllReduce", "ring", "ll"},
           Row{"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "AllReduce", "ring", "ll"},
           Row{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)", "SendRecv", "ring",
               "simple"},
           Row{"ncclDevKernel_SendRecv(ncclDevComm*, unsigned long, ncclWork*)", "SendRecv", "", ""},
           Row{"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "", "", ""},
           Row{"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "AllGather", "ring", "ll"},
           Row{"ncclDevKernel_ReduceScatter_Sum_bf16_TREE_LL128(x)", "ReduceScatter", "tree", "ll128"},
           Row{"ncclDevKernel_AllReduce_Sum_bf16_NVLS_TREE_SIMPLE(x)", "AllReduce", "nvls_tree", "simple"},
           Row{"ncclDevKernel_AllGather_PAT_SIMPLE(x)", "AllGather", "pat", "simple"},
           Row{"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "AllReduce", "ring", "ll"},
           Row{"ncclKernel_Broadcast_RING_LL_Sum_int8_t(x)", "Broadcast", "ring", "ll"},
       }) {
    INFO(row.name);
    const auto kernel = nccl_kernel(row.name);
    REQUIRE(kernel);
    CHECK(kernel->op == row.op);
    CHECK(kernel->algorithm == row.algorithm);
    CHECK(kernel->protocol == row.protocol);
  }
  for (const char* name : {"", "void deep_ep::intranode::dispatch<8>(int4*)", "nccl_ep_jit_ht_dispatch_kernel",
                           "void cutlass::Kernel<ncclDevKernel>()", "ncclSomething"})
    CHECK_FALSE(nccl_kernel(name));
}

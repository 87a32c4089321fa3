// SPDX-License-Identifier: Apache-2.0
// Our declarations of the NVTX ABI against the toolkit's headers, where they are.
#include "collector/src/nvtx_abi.h"

#include "tests/support/catch.h"

#ifdef MOESCOPE_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>

namespace ours = moescope::collector::nvtx;

#define SAME_ID(mine, theirs) static_assert(static_cast<unsigned>(mine) == static_cast<unsigned>(theirs))
SAME_ID(ours::kModuleCore, NVTX_CB_MODULE_CORE);
SAME_ID(ours::kModuleCore2, NVTX_CB_MODULE_CORE2);
SAME_ID(ours::kCallbacksTable, NVTX_ETID_CALLBACKS);
SAME_ID(ours::kMarkEx, NVTX_CBID_CORE_MarkEx);
SAME_ID(ours::kMarkA, NVTX_CBID_CORE_MarkA);
SAME_ID(ours::kMarkW, NVTX_CBID_CORE_MarkW);
SAME_ID(ours::kRangeStartEx, NVTX_CBID_CORE_RangeStartEx);
SAME_ID(ours::kRangeStartA, NVTX_CBID_CORE_RangeStartA);
SAME_ID(ours::kRangeStartW, NVTX_CBID_CORE_RangeStartW);
SAME_ID(ours::kRangeEnd, NVTX_CBID_CORE_RangeEnd);
SAME_ID(ours::kRangePushEx, NVTX_CBID_CORE_RangePushEx);
SAME_ID(ours::kRangePushA, NVTX_CBID_CORE_RangePushA);
SAME_ID(ours::kRangePushW, NVTX_CBID_CORE_RangePushW);
SAME_ID(ours::kRangePop, NVTX_CBID_CORE_RangePop);
SAME_ID(ours::kNameCategoryA, NVTX_CBID_CORE_NameCategoryA);
SAME_ID(ours::kNameCategoryW, NVTX_CBID_CORE_NameCategoryW);
SAME_ID(ours::kNameOsThreadA, NVTX_CBID_CORE_NameOsThreadA);
SAME_ID(ours::kNameOsThreadW, NVTX_CBID_CORE_NameOsThreadW);
SAME_ID(ours::kDomainMarkEx, NVTX_CBID_CORE2_DomainMarkEx);
SAME_ID(ours::kDomainRangeStartEx, NVTX_CBID_CORE2_DomainRangeStartEx);
SAME_ID(ours::kDomainRangeEnd, NVTX_CBID_CORE2_DomainRangeEnd);
SAME_ID(ours::kDomainRangePushEx, NVTX_CBID_CORE2_DomainRangePushEx);
SAME_ID(ours::kDomainRangePop, NVTX_CBID_CORE2_DomainRangePop);
SAME_ID(ours::kDomainResourceCreate, NVTX_CBID_CORE2_DomainResourceCreate);
SAME_ID(ours::kDomainResourceDestroy, NVTX_CBID_CORE2_DomainResourceDestroy);
SAME_ID(ours::kDomainNameCategoryA, NVTX_CBID_CORE2_DomainNameCategoryA);
SAME_ID(ours::kDomainNameCategoryW, NVTX_CBID_CORE2_DomainNameCategoryW);
SAME_ID(ours::kDomainRegisterStringA, NVTX_CBID_CORE2_DomainRegisterStringA);
SAME_ID(ours::kDomainRegisterStringW, NVTX_CBID_CORE2_DomainRegisterStringW);
SAME_ID(ours::kDomainCreateA, NVTX_CBID_CORE2_DomainCreateA);
SAME_ID(ours::kDomainCreateW, NVTX_CBID_CORE2_DomainCreateW);
SAME_ID(ours::kDomainDestroy, NVTX_CBID_CORE2_DomainDestroy);
SAME_ID(ours::kInitialize, NVTX_CBID_CORE2_Initialize);
SAME_ID(ours::kMessageAscii, NVTX_MESSAGE_TYPE_ASCII);
SAME_ID(ours::kMessageUnicode, NVTX_MESSAGE_TYPE_UNICODE);
SAME_ID(ours::kMessageRegistered, NVTX_MESSAGE_TYPE_REGISTERED);
static_assert(ours::kNoPushPopTracking == NVTX_NO_PUSH_POP_TRACKING);

#define SAME_PLACE(mine, theirs) \
  static_assert(offsetof(ours::EventAttributes, mine) == offsetof(nvtxEventAttributes_t, theirs))
static_assert(sizeof(ours::EventAttributes) == sizeof(nvtxEventAttributes_t));
SAME_PLACE(version, version);
SAME_PLACE(size, size);
SAME_PLACE(category, category);
SAME_PLACE(payload_type, payloadType);
SAME_PLACE(payload, payload);
SAME_PLACE(message_type, messageType);
SAME_PLACE(message, message);
static_assert(sizeof(ours::CallbacksTable) == sizeof(NvtxExportTableCallbacks));
static_assert(offsetof(ours::CallbacksTable, module_functions) ==
              offsetof(NvtxExportTableCallbacks, GetModuleFunctionTable));

TEST_CASE("Our NVTX declarations are the toolkit's") {
  SUCCEED("checked while compiling");
}
#else
TEST_CASE("Our NVTX declarations are the toolkit's") {
  MOESCOPE_SKIP("no CUDA toolkit: its NVTX headers are not here");
}
#endif

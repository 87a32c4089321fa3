/* SPDX-License-Identifier: Apache-2.0
 * One of everything in NVTX, through the toolkit's own header. */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

static nvtxRangeId_t crossing;

static void* other_thread(void* domain) {
  nvtxEventAttributes_t event;
  memset(&event, 0, sizeof event);
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "in domain";
  event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  event.payload.ullValue = 7;
  nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "worker");
  nvtxRangeEnd(crossing);
  nvtxDomainRangePushEx((nvtxDomainHandle_t)domain, &event);
  nvtxDomainMarkEx((nvtxDomainHandle_t)domain, &event);
  nvtxRangePushA("left open");
  nvtxDomainRangePop((nvtxDomainHandle_t)domain);
  return NULL;
}

int main(void) {
  pthread_t thread;
  nvtxEventAttributes_t event;
  nvtxRangeId_t start_a, start_ex;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("expert parallel");
  nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered");
  memset(&event, 0, sizeof event);
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = registered;
  if (registered == NULL) return 1;
  if (nvtxRangePushA("outer") != 0) return 2;
  if (nvtxRangePushW(L"w\u00efde \U0001f600") != 1) return 3;
  if (nvtxRangePop() != 1) return 4;
  if (nvtxDomainRangePushEx(domain, &event) != 0) return 5; /* levels count for each domain */
  if (nvtxDomainRangePop(domain) != 0) return 6;
  if (nvtxRangePop() != 0) return 7;
  if (nvtxRangePop() >= 0) return 8; /* one too many */
  nvtxMarkA("mark");
  nvtxNameCategoryA(1, "category");
  start_a = nvtxRangeStartA("start a");
  start_ex = nvtxDomainRangeStartEx(domain, &event);
  if (start_a == start_ex) return 9;
  nvtxRangeEnd(start_a);
  nvtxDomainRangeEnd(domain, start_ex);
  crossing = nvtxRangeStartA("crossing");
  pthread_create(&thread, NULL, other_thread, domain);
  pthread_join(thread, NULL);
  nvtxRangeStartA("never ended");
  nvtxDomainDestroy(domain);
  return 0;
}

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The binary interface between NVTX 3 (headers that are compiled into the job) and a tool: what we need of it, so that
// the collector builds without a CUDA toolkit. tests/collector holds it against the toolkit's own headers.
//
// Each library of a job that uses NVTX has an NVTX of its own. At its first call it looks for InitializeInjectionNvtx2
// in the library that NVTX_INJECTION64_PATH names and hands it a way to ask for tables of function pointers, which the
// tool overwrites with its own.

#include <cstddef>
#include <cstdint>

namespace moescope::collector::nvtx {

using ExportTable = const void* (*)(std::uint32_t id);
inline constexpr std::uint32_t kCallbacksTable = 1;  // CallbacksTable

using Function = void (*)();
using FunctionTable = Function**;  // an array of pointers to function pointers, by callback id

struct CallbacksTable {
  std::size_t struct_size;
  int (*module_functions)(int module, FunctionTable* table, unsigned int* size);  // 1: fine
};

inline constexpr int kModuleCore = 1, kModuleCore2 = 5;

// Callback ids.
enum Core : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
  kNameOsThreadA,
  kNameOsThreadW,
};
enum Core2 : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainResourceCreate,
  kDomainResourceDestroy,
  kDomainNameCategoryA,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kDomainDestroy,
  kInitialize,
};

inline constexpr std::int32_t kMessageAscii = 1, kMessageUnicode = 2, kMessageRegistered = 3;
inline constexpr int kNoPushPopTracking = -2;  // what Push and Pop return instead of a level

struct EventAttributes {
  std::uint16_t version, size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type, reserved;
  union {
    std::uint64_t unsigned_integer;
    std::int64_t integer;
    double real;
  } payload;
  std::int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* unicode;
    const void* registered;
  } message;
};

}  // namespace moescope::collector::nvtx

#pragma once
/* SPDX-License-Identifier: Apache-2.0
 * Between the two libraries: what libmoescope.so (bootstrap.c) calls in libmoescope_core.so. Nothing else is exported.
 */
#include <stdint.h>

#define MOESCOPE_CORE_ENTRY "moescope_core_entry"
#define MOESCOPE_CORE_ABI 1u

typedef struct moescope_core_s {
  uint32_t abi;
  const void* (*api)(uint32_t abi); /* moescope_api */
  int (*nvtx)(void* export_table);  /* InitializeInjectionNvtx2 */
  int (*nvtx_extension)(void* module_info);
  int (*cuda)(void);                /* InitializeInjection */
  void (*finish)(const char* kind); /* exit|_exit: ends the record; safe in a signal handler */
} moescope_core_t;

/* image_start_ns: CLOCK_MONOTONIC when the program image was loaded. NULL where this ABI isn't spoken. */
typedef const moescope_core_t* (*moescope_core_entry_fn)(uint32_t abi, int64_t image_start_ns);

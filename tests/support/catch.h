#pragma once
// SPDX-License-Identifier: Apache-2.0
// Catch2, version 2 or 3, and the way a case says that it can't run here.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#include <cstdio>

// Ends the case; ctest lists it as skipped with this reason.
#define MOESCOPE_SKIP(reason)              \
  do {                                     \
    std::printf("[skipped] %s\n", reason); \
    std::fflush(stdout);                   \
    SUCCEED("skipped");                    \
    return;                                \
  } while (0)

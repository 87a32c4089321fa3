// SPDX-License-Identifier: Apache-2.0
// Carries the precompiled header of the test programs; see tests/CMakeLists.txt.
#include "tests/support/catch.h"

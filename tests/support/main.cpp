// SPDX-License-Identifier: Apache-2.0
// The one main of all test programs. Qt's platform is set before any QApplication can exist: ctest discovers cases by
// running each program, at build time, without a display.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("QT_QPA_PLATFORM", "offscreen", 0);
  setenv("QT_SCALE_FACTOR", "1", 1);
  return Catch::Session().run(argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// The optional parts: ON without its packages stops with the package to install, AUTO goes on and says what is left
// out.
#include <regex>

#include "tests/architecture/source_tree.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;

namespace {

// CMake folds its messages.
std::string unfolded(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

Ran configure(const ScratchFolder& scratch, std::vector<std::string> options) {
  std::vector<std::string> argv = {"cmake", "-S",    source_root().string(), "-B", scratch / "build",
                                   "-G",    "Ninja", "-DMOESCOPE_TESTS=OFF"};
  argv.insert(argv.end(), options.begin(), options.end());
  return run(argv);
}

}  // namespace

TEST_CASE("an optional part that is ON and can't be had stops the configure and names the package") {
  const struct {
    const char *part, *package, *apt;
  } parts[] = {
      {"GUI", "Qt6", "qt6-base-dev"}, {"CUDA", "CUDAToolkit", "nvidia-cuda-toolkit"}, {"MPI", "MPI", "libopenmpi-dev"}};
  for (const auto& part : parts) {
    CAPTURE(part.part);
    const ScratchFolder scratch;
    const Ran ran = configure(scratch, {std::string("-DMOESCOPE_") + part.part + "=ON",
                                        std::string("-DCMAKE_DISABLE_FIND_PACKAGE_") + part.package + "=ON"});
    CHECK(ran.exit_code != 0);
    CHECK(unfolded(ran.err).find(std::string("MOESCOPE_") + part.part + "=ON needs") != std::string::npos);
    CHECK(unfolded(ran.err).find(std::string("apt-get install ") + part.apt) != std::string::npos);
  }
}

TEST_CASE("AUTO goes on without them and says so at the end") {
  const ScratchFolder scratch;
  const Ran ran =
      configure(scratch, {"-DCMAKE_DISABLE_FIND_PACKAGE_Qt6=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON",
                          "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON"});
  INFO(ran.out << ran.err);
  REQUIRE(ran.exit_code == 0);
  const std::string summary = ran.out.substr(ran.out.find("what will be built"));
  CHECK(summary.find("moescope-gui  no (Qt 6 not found: apt-get install qt6-base-dev)") != std::string::npos);
  CHECK(summary.find("CUDA toolkit  not found") != std::string::npos);
  CHECK(summary.find("MPI           not found") != std::string::npos);
}

TEST_CASE("a value that is none of AUTO, ON and OFF is refused") {
  const ScratchFolder scratch;
  const Ran ran = configure(scratch, {"-DMOESCOPE_GUI=maybe"});
  CHECK(ran.exit_code != 0);
  CHECK(ran.err.find("use AUTO, ON or OFF") != std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
// Hosts of GB200 machines are ARM. What depends on the processor is compiled for it here: the door is linked and asks
// for no newer glibc, the annotated sample is linked, the collector's core and the reference job's CPU code are
// checked.
#include "tests/architecture/source_tree.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;

namespace {

bool cross_compilers_are_there() {
  return run({"aarch64-linux-gnu-gcc", "--version"}).exit_code == 0 &&
         run({"aarch64-linux-gnu-g++", "--version"}).exit_code == 0;
}

}  // namespace

TEST_CASE("the preloaded door and an annotated job link for aarch64") {
  if (!cross_compilers_are_there()) MOESCOPE_SKIP("no cross compiler (apt-get install g++-aarch64-linux-gnu)");
  const ScratchFolder scratch;
  const std::string root = source_root().string() + "/";
  const Ran door =
      run({"aarch64-linux-gnu-gcc", "-std=gnu99", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-nostartfiles",
           "-fvisibility=hidden", "-fno-stack-protector", "-I" + root, "-I" + root + "collector/include",
           root + "collector/src/bootstrap.c", "-Wl,--no-as-needed", "-l:libdl.so.2", "-o", scratch / "door.so"});
  INFO(door.err);
  REQUIRE(door.exit_code == 0);
  // GLIBC_2.17 is the first that aarch64 has at all.
  const std::string symbols = run({"aarch64-linux-gnu-objdump", "-T", scratch / "door.so"}).out;
  std::size_t versions = 0;
  for (std::size_t at = symbols.find("GLIBC_"); at != std::string::npos;
       at = symbols.find("GLIBC_", at + 1), ++versions)
    CHECK(symbols.substr(at, 11) == "GLIBC_2.17)");
  CHECK(versions > 0);
  const Ran sample = run({"aarch64-linux-gnu-gcc", "-std=c99", "-Wall", "-Werror", "-I" + root + "collector/include",
                          root + "samples/annotate_c/annotate.c", "-pthread", "-ldl", "-o", scratch / "annotate"});
  INFO(sample.err);
  CHECK(sample.exit_code == 0);
}

TEST_CASE("the collector's core and the reference job's CPU code compile for aarch64") {
  if (!cross_compilers_are_there()) MOESCOPE_SKIP("no cross compiler (apt-get install g++-aarch64-linux-gnu)");
  const std::string root = source_root().string() + "/";
  std::size_t compiled = 0;
  for (const std::string& file : source_files()) {
    const bool ours = file.starts_with("collector/src/") || file.starts_with("reference_kernels/cpu/");
    if (!ours || !file.ends_with(".cpp")) continue;
    const Ran ran = run({"aarch64-linux-gnu-g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Werror",
                         "-DMOESCOPE_VERSION=\"0\"", "-I" + root, "-I" + root + "collector/include", root + file});
    CAPTURE(file);
    INFO(ran.err);
    CHECK(ran.exit_code == 0);
    ++compiled;
  }
  CHECK(compiled > 10);
}

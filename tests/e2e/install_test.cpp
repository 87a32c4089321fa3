// SPDX-License-Identifier: Apache-2.0
// What a user gets from `cmake --install`: programs that find their library wherever the prefix was moved to, and a
// collector that brings everything along and shows nothing but its own entry points.
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> words_after(const std::string& text, const std::string& key) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const std::size_t begin = text.find_first_not_of(' ', at + key.size());
    found.push_back(text.substr(begin, text.find_first_of(" \n", begin) - begin));
  }
  return found;
}

}  // namespace

TEST_CASE("an installed moescope records and reports, also after its prefix was moved") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("a sanitizer's run-time library can't be preloaded together with the collector");
#endif
  const ScratchFolder scratch;
  const Ran installed = run({"cmake", "--install", MOESCOPE_BUILD_DIR, "--prefix", scratch / "first"});
  INFO(installed.out << installed.err);
  REQUIRE(installed.exit_code == 0);
  fs::rename(scratch / "first", scratch / "moved");
  const std::string bin = scratch / "moved/bin/";
  const Ran recorded =
      run({bin + "moescope", "record", "-o", scratch / "run", "--", bin + "moescope-refmoe", "--quiet"});
  INFO(recorded.err);
  CHECK(recorded.exit_code == 0);
  CHECK(run({bin + "moescope", "report", scratch / "run"}).exit_code == 0);
  CHECK(fs::exists(scratch / "moved/include/moescope/annotate.h"));
}

TEST_CASE("the collector needs nothing beside the C library, and exports its own entry points only") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("sanitized libraries need the sanitizer's run-time library");
#endif
  const std::string lib = std::string(MOESCOPE_BUILD_DIR) + "/lib/";
  for (const std::string& library : {lib + "libmoescope.so", lib + "libmoescope_core.so"}) {
    CAPTURE(library);
    const Ran dump = run({"objdump", "-p", library});
    if (dump.exit_code != 0) MOESCOPE_SKIP("objdump is not installed (apt-get install binutils)");
    for (const std::string& needed : words_after(dump.out, "NEEDED")) {
      CAPTURE(needed);
      CHECK((needed.starts_with("libc.so") || needed.starts_with("libm.so") || needed.starts_with("libdl.so") ||
             needed.starts_with("ld-linux")));
    }
    for (const std::string& symbol : words_after(run({"nm", "-D", "--defined-only", library}).out, " T ")) {
      CAPTURE(symbol);
      CHECK((symbol.starts_with("moescope_") || symbol.starts_with("InitializeInjection") || symbol == "_exit" ||
             symbol == "_Exit"));
    }
  }
}

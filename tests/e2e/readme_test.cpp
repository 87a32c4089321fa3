// SPDX-License-Identifier: Apache-2.0
// Every command in a README works: each fenced block marked `sh` is run as written, in order, README by README, in a
// scratch folder that looks like the source root, with the programs just built first in PATH.
#include <algorithm>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;

namespace {

std::vector<std::string> shell_blocks(const std::string& markdown) {
  std::vector<std::string> blocks;
  std::istringstream lines(markdown);
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (!inside && line == "```sh") {
      inside = true;
      blocks.emplace_back();
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

// The tests are running already; the quickstart takes the build that is there.
std::string runnable(const std::string& block) {
  std::istringstream lines(block);
  std::string line, script;
  while (std::getline(lines, line))
    if (!line.starts_with("./tests/run.sh") && !line.starts_with("git clone") && !line.starts_with("cd "))
      script += line + "\n";
  return script;
}

}  // namespace

TEST_CASE("the commands in the READMEs work as written") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("a sanitizer's run-time library can't be preloaded together with the collector");
#endif
  namespace fs = std::filesystem;
  const fs::path root = MOESCOPE_SOURCE_DIR, build = MOESCOPE_BUILD_DIR;
  std::size_t ran = 0;
  for (const char* readme : {"README.md", "collector/README.md", "analyzer/README.md", "gui/README.md",
                             "reference_kernels/README.md", "samples/annotate_c/README.md"}) {
    const auto blocks = shell_blocks(contents((root / readme).string()));
    if (blocks.empty()) continue;
    const ScratchFolder scratch;
    for (const auto& entry : fs::directory_iterator(root))
      if (entry.path().filename() != "build" && entry.path().filename() != ".git")
        fs::create_symlink(entry.path(), scratch / entry.path().filename().string());
    // A README's own build commands find the build they would have made.
    fs::create_directory(scratch / "build");
    for (const char* preset : {"dev", "release"})
      fs::create_directory_symlink(build, fs::path(scratch / "build") / preset);
    for (const std::string& block : blocks) {
      const std::string script =
          "set -euo pipefail\nexport PATH='" + (build / "bin").string() + "':$PATH\n" + runnable(block);
      const Ran result =
          run({"bash", "-c", script}, {"MOESCOPE_BUILD=" + build.string(), "QT_QPA_PLATFORM=offscreen", "NO_COLOR=1"},
              scratch.path());
      INFO(readme << ":\n" << block << "\n--- stdout\n" << result.out << "\n--- stderr\n" << result.err);
      CHECK(result.exit_code == 0);
      ++ran;
    }
  }
  CHECK(ran > 0);
}

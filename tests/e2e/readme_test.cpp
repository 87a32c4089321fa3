// SPDX-License-Identifier: Apache-2.0
// Every command in a README works: each fenced block marked `sh` is run as written, in order, README by README, in a
// scratch folder that looks like the source root, with the programs just built first in PATH.
#include <algorithm>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;
namespace fs = std::filesystem;

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

// The source root as a scratch folder: links to what is there, but real folders down to the README's own, so that
// nothing a command writes lands in the tree.
void mirror(const fs::path& from, const fs::path& to, const fs::path& down_to) {
  const std::string next = down_to.empty() ? "" : down_to.begin()->string();
  for (const auto& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    if (name == "build" || name == ".git") continue;
    if (name == next && entry.is_directory()) {
      fs::create_directory(to / name);
      mirror(entry.path(), to / name,
             down_to.lexically_relative(next) == "." ? fs::path() : down_to.lexically_relative(next));
    } else {
      fs::create_symlink(entry.path(), to / name);
    }
  }
}

}  // namespace

TEST_CASE("the commands in the READMEs work as written") {
#ifdef MOESCOPE_SANITIZED
  MOESCOPE_SKIP("a sanitizer's run-time library can't be preloaded together with the collector");
#endif
  if (!fs::exists(program("moescope-gui"))) MOESCOPE_SKIP("moescope-gui is not built (Qt 6 not found)");
  const fs::path root = MOESCOPE_SOURCE_DIR, build = MOESCOPE_BUILD_DIR;
  std::vector<fs::path> folders = {""};
  for (const char* top : {"collector", "analyzer", "gui", "reference_kernels", "samples"}) {
    folders.emplace_back(top);
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (entry.is_directory()) folders.push_back(fs::relative(entry.path(), root));
  }
  std::size_t ran = 0;
  for (const fs::path& folder : folders) {
    const auto blocks = shell_blocks(contents((root / folder / "README.md").string()));
    if (blocks.empty()) continue;
    const ScratchFolder scratch;
    mirror(root, scratch.path(), folder);
    // A README's own build commands find the build they would have made.
    fs::create_directory(scratch / "build");
    for (const char* preset : {"dev", "release"})
      fs::create_directory_symlink(build, fs::path(scratch / "build") / preset);
    for (const std::string& block : blocks) {
      const std::string script =
          "set -euo pipefail\nexport PATH='" + (build / "bin").string() + "':$PATH\n" + runnable(block);
      const Ran result =
          run({"bash", "-c", script}, {"MOESCOPE_BUILD=" + build.string(), "QT_QPA_PLATFORM=offscreen", "NO_COLOR=1"},
              (fs::path(scratch.path()) / folder).string());
      INFO((folder / "README.md").string() << ":\n"
                                           << block << "\n--- stdout\n"
                                           << result.out << "\n--- stderr\n"
                                           << result.err);
      CHECK(result.exit_code == 0);
      ++ran;
    }
  }
  CHECK(ran > 4);
}

// SPDX-License-Identifier: Apache-2.0
// The tree is formatted by clang-format 14 with the project's own settings (other versions lay out a few lines
// otherwise). The two public headers of X-macros are laid out by hand.
#include <cstdio>

#include "tests/architecture/source_tree.h"
#include "tests/support/catch.h"

using namespace moescope::test;

namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  pclose(pipe);
  return text;
}

}  // namespace

TEST_CASE("the tree is formatted") {
  const std::string version = output_of("clang-format --version 2>/dev/null");
  if (version.find("version 14.") == std::string::npos)
    MOESCOPE_SKIP("clang-format 14 is not installed (apt-get install clang-format-14)");
  std::string command = "cd '" + source_root().string() + "' && clang-format --dry-run";
  for (const std::string& file : source_files())
    if (is_source(file) && !file.starts_with("collector/include/")) command += " '" + file + "'";
  const std::string complaints = output_of(command + " 2>&1 | grep 'warning:' | cut -d: -f1,2 | sort -u | head -n 20");
  INFO(complaints);
  CHECK(complaints.empty());
}

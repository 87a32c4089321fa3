#pragma once
// SPDX-License-Identifier: Apache-2.0
// The project's own files, for tests that check the tree itself: what git tracks, or without git what lies in the
// folders.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace moescope::test {

inline std::filesystem::path source_root() {
  return MOESCOPE_SOURCE_DIR;
}

// Paths relative to the root, '/'-separated, sorted, of the folders that hold the project's work.
inline std::vector<std::string> source_files() {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const char* folder : {"collector", "analyzer", "gui", "reference_kernels", "samples", "tests", "cmake"})
    for (const auto& entry : fs::recursive_directory_iterator(source_root() / folder))
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), source_root()).generic_string());
  for (const auto& entry : fs::directory_iterator(source_root()))
    if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string read(const std::string& relative) {
  std::ifstream in(source_root() / relative, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline bool has_suffix(const std::string& text, std::initializer_list<const char*> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](const char* suffix) { return text.ends_with(suffix); });
}

inline bool is_source(const std::string& path) {
  return has_suffix(path, {".h", ".c", ".cpp", ".cu", ".cuh"});
}

}  // namespace moescope::test

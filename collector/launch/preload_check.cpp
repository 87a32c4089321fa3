// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/preload_check.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace moescope::launch {
namespace fs = std::filesystem;

std::string find_collector() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const char* folder : {"../" MOESCOPE_LIBDIR, "../lib", ".", "../lib64"}) {
    const fs::path candidate = (self.parent_path() / folder / "libmoescope.so").lexically_normal();
    if (fs::exists(candidate, error) && fs::exists(candidate.parent_path() / "libmoescope_core.so", error))
      return candidate.string();
  }
  return {};
}

std::string try_preload(const std::string& collector) {
  const char* program = access("/bin/true", X_OK) == 0 ? "/bin/true" : "/usr/bin/true";
  if (access(program, X_OK) != 0) return {};
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_PRELOAD", collector.c_str(), 1);
    dup2(output[1], STDOUT_FILENO);
    dup2(output[1], STDERR_FILENO);
    execl(program, program, static_cast<char*>(nullptr));
    _exit(0);
  }
  close(output[1]);
  std::string said;
  std::array<char, 512> piece;
  for (ssize_t n; (n = read(output[0], piece.data(), piece.size())) > 0;)
    said.append(piece.data(), static_cast<std::size_t>(n));
  close(output[0]);
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  if (child > 0 && status == 0 && said.empty()) return {};  // the loader only says that it left a library out
  for (char& c : said)
    if (c == '\n') c = ' ';
  while (said.ends_with(' ')) said.pop_back();
  return said.empty() ? "it ends " + std::string(program) + " with status " + std::to_string(status) : said;
}

namespace {

std::string on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/bin:/usr/bin";
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    std::string candidate = path.substr(at, end - at) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return program;
}

}  // namespace

std::string why_unreachable(const std::string& program) {
  const std::string path = on_path(program);
  struct stat file {};
  if (stat(path.c_str(), &file) == 0 && (file.st_mode & (S_ISUID | S_ISGID)) != 0) return "a set-user-ID program";
  std::ifstream in(path, std::ios::binary);
  Elf64_Ehdr head{};
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return {};  // a script: its interpreter is what counts
  if (head.e_ident[EI_CLASS] != ELFCLASS64) return "a 32-bit program";
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment{};
    in.seekg(static_cast<std::streamoff>(head.e_phoff + std::uint64_t{i} * head.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    if (segment.p_type == PT_INTERP) return {};
  }
  return "a static executable";
}

}  // namespace moescope::launch

#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs a program the way a user would and keeps what it printed; a scratch folder that is gone afterwards.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace moescope::test {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "moescope-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct Ran {
  int exit_code = -1;  // 128 + signal where one ended it
  std::string out, err;
  std::size_t error_lines() const {
    std::size_t lines = 0;
    for (char c : err) lines += c == '\n';
    return lines;
  }
};

// Starts argv[0] (looked up in PATH) with stdout and stderr in files of the folder. environment: "NAME=VALUE"
// additions.
inline pid_t start(const std::vector<std::string>& argv, const std::string& out, const std::string& err,
                   const std::vector<std::string>& environment = {}, const std::string& directory = {}) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  if (!directory.empty() && chdir(directory.c_str()) != 0) _exit(124);
  const int in_fd = open("/dev/null", O_RDONLY);
  const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(in_fd, 0);
  dup2(out_fd, 1);
  dup2(err_fd, 2);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

inline int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

inline Ran run(const std::vector<std::string>& argv, const std::vector<std::string>& environment = {},
               const std::string& directory = {}) {
  const ScratchFolder scratch;
  Ran ran;
  ran.exit_code = wait_for(start(argv, scratch / "out", scratch / "err", environment, directory));
  ran.out = contents(scratch / "out");
  ran.err = contents(scratch / "err");
  return ran;
}

// A program of ours as built.
inline std::string program(const std::string& name) {
  return std::string(MOESCOPE_BUILD_DIR) + "/bin/" + name;
}

}  // namespace moescope::test

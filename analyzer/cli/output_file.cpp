// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "analyzer/model/trace_error.h"

namespace moescope::cli {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw TraceError(path, "", "can't be written: " + std::generic_category().message(error),
                   "name a file in a folder that exists and is writable");
}

// 0, or the error that stopped it.
int write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    done += static_cast<std::size_t>(wrote);
  }
  return 0;
}

}  // namespace

void write_output(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    std::fflush(stdout);
    if (const int error = write_all(STDOUT_FILENO, text); error != 0) fail("standard output", error);
    return;
  }
  struct stat known {};
  if (stat(path.c_str(), &known) == 0 && !S_ISREG(known.st_mode)) {  // a device or pipe is written as it is
    if (S_ISDIR(known.st_mode)) fail(path, EISDIR);
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) fail(path, errno);
    const int error = write_all(file, text);
    close(file);
    if (error != 0) fail(path, error);
    return;
  }
  const std::string temporary = path + ".part-" + std::to_string(getpid());
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail(path, errno);
  int error = write_all(file, text);
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    fail(path, error);
  }
}

bool stdout_wants_color() {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') &&
         !(terminal != nullptr && std::strcmp(terminal, "dumb") == 0);
}

}  // namespace moescope::cli

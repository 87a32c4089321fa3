// SPDX-License-Identifier: Apache-2.0
#include "collector/src/environment.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>

namespace moescope::collector {
namespace {

constexpr std::size_t kMostVariables = 4096, kLongestVariable = 8192;

// Copies memory of this process that may be gone; false instead of a fault.
bool peek(const void* from, void* to, std::size_t bytes) {
  iovec local{to, bytes};
  iovec remote{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

// The text at `from`, read in pieces that end at page ends, as the next page may not be there.
bool peek_text(const char* from, std::string& out) {
  out.clear();
  while (out.size() < kLongestVariable) {
    std::array<char, 256> piece;
    const auto address = reinterpret_cast<std::uintptr_t>(from) + out.size();
    const std::size_t bytes = std::min<std::size_t>(piece.size(), 4096 - address % 4096);
    if (!peek(from + out.size(), piece.data(), bytes)) return false;
    const std::string_view read(piece.data(), bytes);
    const std::size_t end = read.find('\0');
    out.append(read.substr(0, end));
    if (end != std::string_view::npos) return true;
  }
  return true;
}

std::vector<std::string> from_environ() {
  std::vector<std::string> variables;
  std::string text;
  for (std::size_t i = 0; environ != nullptr && i < kMostVariables; ++i) {
    const char* variable = nullptr;
    if (!peek(environ + i, &variable, sizeof variable) || variable == nullptr) break;
    if (peek_text(variable, text)) variables.push_back(text);
  }
  return variables;
}

// What the process was started with: the fallback where a sandbox forbids process_vm_readv.
std::vector<std::string> from_proc() {
  std::string text;
  if (const int file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC); file >= 0) {
    std::array<char, 4096> piece;
    for (ssize_t n; (n = read(file, piece.data(), piece.size())) > 0;)
      text.append(piece.data(), static_cast<std::size_t>(n));
    close(file);
  }
  std::vector<std::string> variables;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    variables.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return variables;
}

}  // namespace

Environment Environment::of_this_process() {
  std::vector<std::string> variables = from_environ();
  if (variables.empty()) variables = from_proc();
  return Environment(std::move(variables));
}

const std::string* Environment::find(std::string_view name) const {
  for (const std::string& variable : variables_)
    if (variable.size() > name.size() && variable[name.size()] == '=' && variable.starts_with(name)) return &variable;
  return nullptr;
}

std::string Environment::get(std::string_view name) const {
  const std::string* variable = find(name);
  return variable == nullptr ? std::string() : variable->substr(name.size() + 1);
}

bool Environment::has(std::string_view name) const {
  return find(name) != nullptr;
}

}  // namespace moescope::collector

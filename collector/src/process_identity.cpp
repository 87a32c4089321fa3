// SPDX-License-Identifier: Apache-2.0
#include "collector/src/process_identity.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace moescope::collector {
namespace {

constexpr std::size_t kMostArgvBytes = 64 * 1024;

std::string read_file(const char* path) {
  std::string text;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 4096> piece;
  for (ssize_t n; text.size() < kMostArgvBytes && (n = read(file, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(n));
  close(file);
  return text;
}

bool names_a_secret(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
  });
  for (const char* word : {"token", "secret", "password", "passwd", "key", "credential"})
    if (lower.find(word) != std::string::npos) return true;
  return false;
}

void add_json(std::string& json, std::string_view text) {
  json += json.size() > 1 ? ",\"" : "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned char>(c));
      json += escape;
    } else {
      json += c;
    }
  }
  json += '"';
}

}  // namespace

std::string masked_json(const std::vector<std::string>& argv) {
  std::string json = "[";
  bool hide_next = false;
  for (const std::string& argument : argv) {
    const std::size_t equals = argument.find('=');
    const bool option = argument.starts_with("-");
    if (hide_next && !option) {
      add_json(json, "***");
      hide_next = false;
      continue;
    }
    const bool secret = names_a_secret(std::string_view(argument).substr(0, equals));
    hide_next = option && secret && equals == std::string::npos;
    add_json(json, secret && equals != std::string::npos ? argument.substr(0, equals + 1) + "***" : argument);
  }
  return json + "]";
}

trace::ProcessRow describe_process(std::int64_t image_start_ns, const std::string& rank_source) {
  trace::ProcessRow row;
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) row.host = host.data();
  row.pid = getpid();
  row.image_start_ns = image_start_ns;
  row.boot_id = read_file("/proc/sys/kernel/random/boot_id");
  while (!row.boot_id.empty() && row.boot_id.back() == '\n') row.boot_id.pop_back();
  struct stat space {};
  if (stat("/proc/self/ns/pid", &space) == 0) row.pid_namespace = static_cast<std::int64_t>(space.st_ino);
  std::array<char, PATH_MAX> executable{};
  const ssize_t length = readlink("/proc/self/exe", executable.data(), executable.size());
  if (length > 0) row.executable.assign(executable.data(), static_cast<std::size_t>(length));
  const std::string line = read_file("/proc/self/cmdline");
  std::vector<std::string> argv;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find('\0', at), line.size());
    argv.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  row.argv = masked_json(argv);
  row.rank_source = rank_source;
  return row;
}

}  // namespace moescope::collector

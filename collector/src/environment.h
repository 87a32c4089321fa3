#pragma once
// SPDX-License-Identifier: Apache-2.0
// The process's environment, copied so that a job whose threads call setenv meanwhile can't crash us: glibc's getenv
// would follow an array that setenv has just freed (SIGSEGV), the kernel's copy only fails.

#include <string>
#include <string_view>
#include <vector>

namespace moescope::collector {

class Environment {
 public:
  static Environment of_this_process();
  explicit Environment(std::vector<std::string> variables) : variables_(std::move(variables)) {}  // NAME=VALUE
  // Empty where it isn't set; has() tells a set empty one.
  std::string get(std::string_view name) const;
  bool has(std::string_view name) const;

 private:
  const std::string* find(std::string_view name) const;
  std::vector<std::string> variables_;
};

}  // namespace moescope::collector

#pragma once
// SPDX-License-Identifier: Apache-2.0
// A bar on stderr while a long input is read: on a terminal only, and only once it has taken a moment.

#include <chrono>
#include <cstdint>
#include <string>

namespace moescope::cli {

class ProgressBar {
 public:
  ProgressBar(std::string label, bool quiet);
  ~ProgressBar();  // wipes the bar
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void update(std::uint64_t done, std::uint64_t total);  // cheap; total 0: unknown

 private:
  std::string label_;
  bool shown_ = false, enabled_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace moescope::cli

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace moescope::cli {

using namespace std::chrono_literals;

ProgressBar::ProgressBar(std::string label, bool quiet)
    : label_(std::move(label)),
      enabled_(!quiet && isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + 300ms) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + 100ms;
  shown_ = true;
  constexpr int kWidth = 30;
  if (total == 0) {
    fmt::print(stderr, "\r\033[K{} {:.1f} MB", label_, static_cast<double>(done) / 1e6);
  } else {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const int full = static_cast<int>(part * kWidth);
    fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {:.0f} %", label_, "", full, "", kWidth - full, 100 * part);
  }
  std::fflush(stderr);
}

}  // namespace moescope::cli

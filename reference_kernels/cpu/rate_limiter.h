#pragma once
// SPDX-License-Identifier: Apache-2.0
// A link with a rate: the copying is real, and the copier is held to absolute deadlines. A chunk that ends late does
// not move the next deadline (the debt is carried), so the rate comes out right although sleeps overshoot. One link,
// one thread. Clock: now_ns(), sleep_until(ns).

#include <cstdint>

#include "reference_kernels/cpu/wire_meter.h"

namespace moescope::reference {

template <class Clock>
class RateLimiter final : public WireMeter {
 public:
  static constexpr std::int64_t kChunkBytes = 128 * 1024;

  RateLimiter(double bytes_per_second, Clock clock = {}) : ns_per_byte_(1e9 / bytes_per_second), clock_(clock) {}

  // A transfer starts now; an idle link has no debt.
  void begin() {
    origin_ns_ = clock_.now_ns();
    sent_ = pending_ = 0;
  }
  void sent(std::int64_t bytes) override {
    sent_ += bytes;
    pending_ += bytes;
    if (pending_ < kChunkBytes) return;
    pending_ = 0;
    clock_.sleep_until(deadline_ns());
  }
  void finish() { clock_.sleep_until(deadline_ns()); }
  // When everything reported since begin() may have crossed.
  std::int64_t deadline_ns() const {
    return origin_ns_ + static_cast<std::int64_t>(static_cast<double>(sent_) * ns_per_byte_ + 0.5);
  }

 private:
  double ns_per_byte_;
  Clock clock_;
  std::int64_t origin_ns_ = 0, sent_ = 0, pending_ = 0;
};

}  // namespace moescope::reference

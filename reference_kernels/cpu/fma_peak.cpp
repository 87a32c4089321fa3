// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cpu/fma_peak.h"

#include <algorithm>
#include <cmath>

#include "reference_kernels/cpu/monotonic_clock.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace moescope::reference {
namespace {

constexpr int kSums = 12;  // independent chains: enough to hide the latency of two units

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double fma_loop_avx2(int rounds, float* sink) {
  __m256 sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.999f), term = _mm256_set1_ps(0.001f);
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm256_fmadd_ps(sums[i], factor, term);
  }
  for (int i = 1; i < kSums; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  _mm256_storeu_ps(sink, sums[0]);
  return 2.0 * 8 * kSums * rounds;
}
#endif

double fma_loop_portable(int rounds, float* sink) {
  float sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = static_cast<float>(i);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kSums; ++i) sums[i] = std::fma(sums[i], 0.999f, 0.001f);
  }
  for (int i = 0; i < kSums; ++i) sink[0] += sums[i];
  return 2.0 * kSums * rounds;
}

}  // namespace

double measure_fma_peak(GemmPath path) {
  constexpr int kRuns = 8;
  double best = 0;
  float sink[8] = {};
  for (int run = 0; run < kRuns; ++run) {
    const std::int64_t start_ns = MonotonicClock::now_ns();
    double flops = 0;
#if defined(__x86_64__)
    if (path == GemmPath::kAvx2) flops = fma_loop_avx2(200'000, sink);
#endif
    if (path == GemmPath::kPortable) flops = fma_loop_portable(20'000, sink);
    const auto ns = static_cast<double>(MonotonicClock::now_ns() - start_ns);
    volatile float keep = sink[0];  // the sums are wanted, so the loop stays
    (void)keep;
    best = std::max(best, flops / std::max(ns, 1.0) * 1e9);
  }
  return best;
}

}  // namespace moescope::reference

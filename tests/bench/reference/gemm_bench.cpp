// SPDX-License-Identifier: Apache-2.0
// How fast the GEMM is, as a share of the fused-multiply-add peak of the same core measured between its runs: the share
// holds on a busy machine, the rates alone do not. Weights are visited in turn, as experts are.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "reference_kernels/counter_random.h"
#include "reference_kernels/cpu/fma_peak.h"
#include "reference_kernels/cpu/gemm.h"

using namespace moescope::reference;

namespace {

double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double gemm_rate(GemmPath path, int rows, const std::vector<PackedMatrix>& weights, const std::vector<float>& a,
                 std::vector<float>& c) {
  const double flops_a_call = 2.0 * rows * weights[0].k() * weights[0].n();
  const double begin = thread_seconds();
  double flops = 0, seconds = 0;
  for (std::size_t i = 0; seconds < 0.02; ++i) {
    const PackedMatrix& b = weights[i % weights.size()];
    gemm(path, rows, a.data(), b.k(), b, c.data(), b.n());
    flops += flops_a_call;
    seconds = thread_seconds() - begin;
  }
  return flops / seconds;
}

}  // namespace

int main() {
  constexpr int kRounds = 7, kExperts = 8;
  constexpr int kShapes[][2] = {{256, 256}, {512, 1024}, {1024, 512}, {2048, 512}};
  const GemmPath path = best_gemm_path();
  std::printf("path %s; GFLOP/s of one thread (share of its FMA peak), median of %d rounds\n", name(path).data(),
              kRounds);
  std::printf("%12s", "K x N");
  constexpr int kRows[] = {1, 4, 16, 64, 256, 1024};
  for (int rows : kRows) std::printf("   M=%-12d", rows);
  std::printf("\n");
  const CounterRandom random(1, 1);
  for (const auto& [k_size, n_size] : kShapes) {
    std::vector<PackedMatrix> weights;
    for (int e = 0; e < kExperts; ++e) {
      weights.emplace_back(k_size, n_size, [&](int k, int n) {
        return random.symmetric(static_cast<std::uint64_t>((e * 4096 + k) * 4096 + n));
      });
    }
    std::vector<float> a(1024 * static_cast<std::size_t>(k_size), 0.5f), c(1024 * static_cast<std::size_t>(n_size));
    std::printf("%6d x %-4d", k_size, n_size);
    for (int rows : kRows) {
      std::vector<double> rates, shares;
      for (int round = 0; round < kRounds; ++round) {
        const double peak = measure_fma_peak(path);
        rates.push_back(gemm_rate(path, rows, weights, a, c));
        shares.push_back(rates.back() / peak);
      }
      std::printf("  %6.1f (%.2f) ", median(rates) / 1e9, median(shares));
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  return 0;
}

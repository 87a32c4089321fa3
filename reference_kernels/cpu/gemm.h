#pragma once
// SPDX-License-Identifier: Apache-2.0
// C = A B in fp32 with B packed once. Each element of C is one chain of fused multiply-adds over ascending k, whatever
// the number of rows, their grouping, or the machine: so schedules that cut the work differently agree bit for bit.

#include <cstddef>
#include <string_view>
#include <vector>

namespace moescope::reference {

// B (K x N), in panels of 16 columns, each panel k-major and padded with zeros to full width.
class PackedMatrix {
 public:
  static constexpr int kPanel = 16;
  PackedMatrix() = default;
  // element(k, n) gives B's values.
  template <class Element>
  PackedMatrix(int k_size, int n_size, Element&& element)
      : k_(k_size),
        n_(n_size),
        values_(static_cast<std::size_t>(k_size) * static_cast<std::size_t>(panels()) * kPanel) {
    for (int k = 0; k < k_; ++k) {
      for (int n = 0; n < n_; ++n) {
        const auto panel_row = static_cast<std::size_t>(n / kPanel) * static_cast<std::size_t>(k_);
        values_[(panel_row + static_cast<std::size_t>(k)) * kPanel + static_cast<std::size_t>(n % kPanel)] =
            element(k, n);
      }
    }
  }
  int k() const { return k_; }
  int n() const { return n_; }
  int panels() const { return (n_ + kPanel - 1) / kPanel; }
  const float* panel(int index) const {
    return values_.data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(k_) * kPanel;
  }

 private:
  int k_ = 0, n_ = 0;
  std::vector<float> values_;
};

enum class GemmPath { kPortable, kAvx2 };
std::string_view name(GemmPath path);
bool supported(GemmPath path);
GemmPath best_gemm_path();  // of this machine

// Part of a product: columns [n_begin, n_end) of C, and terms [k_begin, k_end) of its sums. n_begin: a multiple of
// PackedMatrix::kPanel. Where k_begin > 0 the terms are added to what is in C, so that slices taken in order give the
// bits of the whole.
struct GemmSlice {
  int n_begin = 0, n_end = 0, k_begin = 0, k_end = 0;
  bool add = false;  // to what is in C also where k_begin is 0
};
// C[i][n] = sum over k of A[i][k] B[k][n] for rows [0, rows). a and c point to k = 0 and n = 0; lda, ldc in elements.
void gemm(GemmPath path, int rows, const float* a, std::ptrdiff_t lda, const PackedMatrix& b, const GemmSlice& slice,
          float* c, std::ptrdiff_t ldc);
inline void gemm(GemmPath path, int rows, const float* a, std::ptrdiff_t lda, const PackedMatrix& b, float* c,
                 std::ptrdiff_t ldc) {
  gemm(path, rows, a, lda, b, {0, b.n(), 0, b.k()}, c, ldc);
}

// Compares the path with a scalar loop in double on a small awkward shape. False: this machine computes wrongly.
bool gemm_self_check(GemmPath path);

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/cpu/gemm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/reference_kernels/random_cases.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;

namespace {

struct Case {
  int rows, depth, columns;
  std::vector<float> a, b;
  PackedMatrix packed;
};
Case make_case(RandomCases& random, int rows, int depth, int columns) {
  Case c{rows, depth, columns, {}, {}, {}};
  for (int i = 0; i < rows * depth; ++i) c.a.push_back(static_cast<float>(random.real(-1, 1)));
  for (int i = 0; i < depth * columns; ++i) c.b.push_back(static_cast<float>(random.real(-1, 1)));
  c.packed = PackedMatrix(depth, columns, [&](int k, int n) { return c.b[static_cast<std::size_t>(k * columns + n)]; });
  return c;
}
std::vector<float> product(GemmPath path, const Case& c, int chunk) {
  std::vector<float> out(static_cast<std::size_t>(c.rows * c.columns), 99.0f);
  for (int row = 0; row < c.rows; row += chunk) {
    gemm(path, std::min(chunk, c.rows - row), c.a.data() + row * c.depth, c.depth, c.packed,
         out.data() + row * c.columns, c.columns);
  }
  return out;
}
std::vector<GemmPath> paths() {
  std::vector<GemmPath> all{GemmPath::kPortable};
  if (supported(GemmPath::kAvx2)) all.push_back(GemmPath::kAvx2);
  return all;
}

}  // namespace

TEST_CASE("gemm agrees with a loop in double to the rounding of its own sums") {
  RandomCases random(1);
  for (int i = 0; i < 60; ++i) {
    const Case c = make_case(random, random.integer(1, 90),
                             i % 6 == 0 ? random.integer(380, 900) : random.integer(1, 70), random.integer(1, 70));
    for (GemmPath path : paths()) {
      const std::vector<float> out = product(path, c, c.rows);
      for (int row = 0; row < c.rows; ++row) {
        for (int n = 0; n < c.columns; ++n) {
          double sum = 0, magnitude = 0;
          for (int k = 0; k < c.depth; ++k) {
            const double term = double{c.a[static_cast<std::size_t>(row * c.depth + k)]} *
                                double{c.b[static_cast<std::size_t>(k * c.columns + n)]};
            sum += term;
            magnitude += std::fabs(term);
          }
          const double seen = double{out[static_cast<std::size_t>(row * c.columns + n)]};
          REQUIRE(std::fabs(seen - sum) <= c.depth * 0x1p-24 * magnitude + 1e-30);
        }
      }
    }
  }
}

TEST_CASE("a row's bits do not depend on how many rows it is computed with, nor on the path") {
  RandomCases random(2);
  const int depths[] = {1, 17, 256, 384, 385, 800};
  for (int depth : depths) {
    const Case c = make_case(random, 200, depth, 53);
    const std::vector<float> whole = product(GemmPath::kPortable, c, c.rows);
    for (GemmPath path : paths()) {
      for (int chunk : {1, 3, 7, 16, 32, 64, 71, 72, 73, 100, 128, 200}) {
        const std::vector<float> chunked = product(path, c, chunk);
        REQUIRE(std::memcmp(chunked.data(), whole.data(), whole.size() * sizeof(float)) == 0);
      }
    }
  }
}

TEST_CASE("gemm writes its own rows and columns only") {
  RandomCases random(3);
  const Case c = make_case(random, 13, 20, 21);
  for (GemmPath path : paths()) {
    std::vector<float> out(15 * 30, -7.0f);
    gemm(path, 13, c.a.data(), c.depth, c.packed, out.data() + 30, 30);
    for (int row = 0; row < 15; ++row) {
      for (int n = 0; n < 30; ++n) {
        const bool inside = row >= 1 && row < 14 && n < 21;
        if (!inside) REQUIRE(out[static_cast<std::size_t>(row * 30 + n)] == -7.0f);
      }
    }
  }
}

TEST_CASE("every supported path passes its self-check") {
  for (GemmPath path : paths()) CHECK(gemm_self_check(path));
  CHECK(supported(best_gemm_path()));
}

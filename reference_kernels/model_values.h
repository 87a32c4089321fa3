#pragma once
// SPDX-License-Identifier: Apache-2.0
// The made-up numbers a job computes with: weights and input tokens as pure functions of (seed, place), so that the
// oracle makes them for itself and no rank needs another's. Scaled so that sums keep unit size.

#include <cmath>
#include <cstdint>

#include "reference_kernels/bf16.h"
#include "reference_kernels/counter_random.h"
#include "reference_kernels/moe_shape.h"

namespace moescope::reference {

enum class Projection : std::uint64_t { kGate = 1, kUp = 2, kDown = 3, kDenseIn = 4, kDenseOut = 5 };

class ModelValues {
 public:
  ModelValues(const MoeShape& shape, Dtype dtype, std::uint64_t seed) : shape_(shape), dtype_(dtype), seed_(seed) {}

  // One projection of one expert: gate and up are hidden x intermediate, down is intermediate x hidden. Shared experts
  // count on behind the routed ones.
  class Matrix {
   public:
    float at(int row, int column) const {
      const auto index =
          static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(columns_) + static_cast<std::uint64_t>(column);
      const float value = random_.symmetric(index) * scale_;
      return dtype_ == Dtype::kBf16 ? from_bf16(to_bf16(value)) : value;
    }

   private:
    friend class ModelValues;
    Matrix(CounterRandom random, int columns, float scale, Dtype dtype)
        : random_(random), columns_(columns), scale_(scale), dtype_(dtype) {}
    CounterRandom random_;
    int columns_;
    float scale_;
    Dtype dtype_;
  };
  Matrix matrix(int layer, int expert, Projection projection) const {
    const bool down = projection == Projection::kDown;
    const std::uint64_t stream = (std::uint64_t{0x10} << 56) ^ (static_cast<std::uint64_t>(layer) << 32) ^
                                 (static_cast<std::uint64_t>(expert) << 8) ^ static_cast<std::uint64_t>(projection);
    return {CounterRandom(seed_, stream), down ? shape_.hidden : shape_.intermediate,
            std::sqrt(3.0f / static_cast<float>(down ? shape_.intermediate : shape_.hidden)), dtype_};
  }
  // A layer's two dense projections: hidden x dense, dense x hidden.
  Matrix dense(int layer, bool out) const {
    const std::uint64_t stream = (std::uint64_t{0x13} << 56) ^ (static_cast<std::uint64_t>(layer) << 32) ^
                                 static_cast<std::uint64_t>(out ? Projection::kDenseOut : Projection::kDenseIn);
    return {CounterRandom(seed_, stream), out ? shape_.hidden : shape_.dense,
            std::sqrt(3.0f / static_cast<float>(out ? shape_.dense : shape_.hidden)), dtype_};
  }
  // Element i of the input of a token, counted over all ranks.
  float token(std::int64_t global_token, int i) const {
    return CounterRandom(seed_, std::uint64_t{0x11} << 56)
        .symmetric(static_cast<std::uint64_t>(global_token) * static_cast<std::uint64_t>(shape_.hidden) +
                   static_cast<std::uint64_t>(i));
  }
  // Element i of the gradient that the backward pass of a token begins with.
  float gradient(std::int64_t global_token, int i) const {
    return CounterRandom(seed_, std::uint64_t{0x12} << 56)
        .symmetric(static_cast<std::uint64_t>(global_token) * static_cast<std::uint64_t>(shape_.hidden) +
                   static_cast<std::uint64_t>(i));
  }

 private:
  MoeShape shape_;
  Dtype dtype_;
  std::uint64_t seed_;
};

}  // namespace moescope::reference

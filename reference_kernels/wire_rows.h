#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rows as they cross the wire: fp32, or rounded to bf16.

#include <cstdint>
#include <vector>

#include "reference_kernels/bf16.h"
#include "reference_kernels/moe_shape.h"

namespace moescope::reference {

class WireRows {
 public:
  WireRows() = default;
  WireRows(Dtype dtype, std::int64_t rows, int width);
  void store(std::int64_t row, const float* values) { store(row, values, 0, width_); }  // rounds where bf16
  // Columns [begin, end) of a row; values points to column 0.
  void store(std::int64_t row, const float* values, int begin, int end);
  void copy(std::int64_t row, const WireRows& from, std::int64_t from_row, int begin, int end);
  // Rows as float: in place for fp32, through scratch for bf16.
  const float* read(std::int64_t row, std::int64_t rows, float* scratch) const;
  float* floats(std::int64_t row) { return floats_.data() + offset(row); }  // fp32 only
  Dtype dtype() const { return dtype_; }

 private:
  std::size_t offset(std::int64_t row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width_);
  }
  Dtype dtype_ = Dtype::kFp32;
  int width_ = 0;
  std::vector<float> floats_;
  std::vector<std::uint16_t> halves_;
};

}  // namespace moescope::reference

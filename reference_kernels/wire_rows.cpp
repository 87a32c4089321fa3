// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/wire_rows.h"

#include <algorithm>

namespace moescope::reference {

WireRows::WireRows(Dtype dtype, std::int64_t rows, int width) : dtype_(dtype), width_(width) {
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
  if (dtype == Dtype::kFp32) {
    floats_.resize(size);
  } else {
    halves_.resize(size);
  }
}

void WireRows::store(std::int64_t row, const float* values, int begin, int end) {
  const std::size_t to = offset(row) + static_cast<std::size_t>(begin);
  if (dtype_ == Dtype::kFp32) {
    std::copy(values + begin, values + end, floats_.data() + to);
  } else {
    std::transform(values + begin, values + end, halves_.data() + to, to_bf16);
  }
}

void WireRows::copy(std::int64_t row, const WireRows& from, std::int64_t from_row, int begin, int end) {
  const std::size_t first = from.offset(from_row) + static_cast<std::size_t>(begin),
                    last = from.offset(from_row) + static_cast<std::size_t>(end),
                    to = offset(row) + static_cast<std::size_t>(begin);
  if (dtype_ == Dtype::kFp32) {
    std::copy(from.floats_.data() + first, from.floats_.data() + last, floats_.data() + to);
  } else {
    std::copy(from.halves_.data() + first, from.halves_.data() + last, halves_.data() + to);
  }
}

const float* WireRows::read(std::int64_t row, std::int64_t rows, float* scratch) const {
  if (dtype_ == Dtype::kFp32) return floats_.data() + offset(row);
  const std::uint16_t* first = halves_.data() + offset(row);
  std::transform(first, first + offset(rows), scratch, from_bf16);
  return scratch;
}

}  // namespace moescope::reference

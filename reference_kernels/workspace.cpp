// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/workspace.h"

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

Workspace::Workspace(const MoeShape& shape, int steps, Dtype dtype, const ModelValues& values,
                     const std::vector<ExchangePlan>& plans)
    : experts_(shape.experts) {
  const auto token_values = static_cast<std::size_t>(shape.tokens) * static_cast<std::size_t>(shape.hidden);
  for (int rank = 0; rank < shape.ranks; ++rank) {
    std::int64_t rows = 0;
    for (const ExchangePlan& plan : plans) rows = std::max(rows, plan.rows_on(rank));
    const auto row_count = static_cast<std::size_t>(rows);
    RankBuffers buffers{
        std::vector<float>(token_values),
        {std::vector<float>(token_values), std::vector<float>(token_values)},
        std::vector<std::vector<float>>(static_cast<std::size_t>(steps), std::vector<float>(token_values)),
        WireRows(dtype, rows, shape.hidden),
        std::vector<float>(row_count),
        std::vector<float>(row_count * 2 * static_cast<std::size_t>(shape.intermediate)),
        WireRows(dtype, rows, shape.hidden),
        WireRows(dtype, std::int64_t{shape.tokens} * shape.top_k, shape.hidden),
        std::vector<float>(dtype == Dtype::kFp32 ? 0 : row_count * static_cast<std::size_t>(shape.hidden))};
    for (int token = 0; token < shape.tokens; ++token) {
      for (int i = 0; i < shape.hidden; ++i) {
        buffers.input[static_cast<std::size_t>(token) * static_cast<std::size_t>(shape.hidden) +
                      static_cast<std::size_t>(i)] = values.token(std::int64_t{rank} * shape.tokens + token, i);
      }
    }
    ranks_.push_back(std::move(buffers));
  }
  for (int layer = 0; layer < shape.layers; ++layer) {
    for (int expert = 0; expert < shape.experts; ++expert) {
      const auto gate = values.matrix(layer, expert, Projection::kGate);
      const auto up = values.matrix(layer, expert, Projection::kUp);
      const auto down = values.matrix(layer, expert, Projection::kDown);
      const int width = shape.intermediate;
      weights_.push_back({PackedMatrix(shape.hidden, width, [&](int k, int n) { return gate.at(k, n); }),
                          PackedMatrix(shape.hidden, width, [&](int k, int n) { return up.at(k, n); }),
                          PackedMatrix(width, shape.hidden, [&](int k, int n) { return down.at(k, n); })});
    }
  }
}

double Workspace::bytes_needed(const MoeShape& shape, int steps, Dtype dtype) {
  const double h = shape.hidden, d = shape.intermediate, tokens = double{1} * shape.tokens * shape.ranks;
  const double pairs = tokens * shape.top_k, wire = bytes_per_element(dtype);
  const double weights = double{3} * h * d * shape.experts * shape.layers * 4 * 2;  // packed, and the oracle's own
  return weights + tokens * h * 4 * (3 + steps) +
         pairs * (3 * h * wire + (dtype == Dtype::kFp32 ? 0 : 4 * h) + 2 * d * 4 + 4) +
         pairs * 16.0 * shape.layers * steps;
}

}  // namespace moescope::reference

// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/workspace.h"

#include <algorithm>
#include <cstring>

namespace moescope::reference {

WireRows::WireRows(Dtype dtype, std::int64_t rows, int width) : dtype_(dtype), width_(width) {
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
  if (dtype == Dtype::kFp32) {
    floats_.resize(size);
  } else {
    halves_.resize(size);
  }
}

void WireRows::store(std::int64_t row, const float* values) {
  const auto width = static_cast<std::size_t>(width_);
  if (dtype_ == Dtype::kFp32) {
    std::memcpy(floats_.data() + offset(row), values, width * sizeof(float));
  } else {
    std::transform(values, values + width, halves_.data() + offset(row), to_bf16);
  }
}

void WireRows::copy(std::int64_t row, const WireRows& from, std::int64_t from_row) {
  const auto width = static_cast<std::size_t>(width_);
  if (dtype_ == Dtype::kFp32) {
    std::memcpy(floats_.data() + offset(row), from.floats_.data() + offset(from_row), width * sizeof(float));
  } else {
    std::memcpy(halves_.data() + offset(row), from.halves_.data() + offset(from_row), width * sizeof(std::uint16_t));
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
    std::int64_t rows = 0, expert_rows = 0;
    for (const ExchangePlan& plan : plans) {
      rows = std::max(rows, plan.rows_on(rank));
      for (int local = 0; local < shape.local_experts(); ++local) {
        expert_rows = std::max(expert_rows, plan.rows(shape.first_expert(rank) + local));
      }
    }
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
        std::vector<float>(static_cast<std::size_t>(expert_rows) * static_cast<std::size_t>(shape.hidden))};
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
      weights_.push_back({PackedMatrix(shape.hidden, 2 * width,
                                       [&](int k, int n) { return n < width ? gate.at(k, n) : up.at(k, n - width); }),
                          PackedMatrix(width, shape.hidden, [&](int k, int n) { return down.at(k, n); })});
    }
  }
}

double Workspace::bytes_needed(const MoeShape& shape, int steps, Dtype dtype) {
  const double h = shape.hidden, d = shape.intermediate, tokens = double{1} * shape.tokens * shape.ranks;
  const double pairs = tokens * shape.top_k, wire = bytes_per_element(dtype);
  const double weights = double{3} * h * d * shape.experts * shape.layers * 4 * 2;  // packed, and the oracle's own
  return weights + tokens * h * 4 * (3 + steps) + pairs * (3 * h * wire + 2 * d * 4 + 4) +
         pairs * 16.0 * shape.layers * steps;
}

}  // namespace moescope::reference

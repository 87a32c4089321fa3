// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/oracle.h"

#include <cmath>

namespace moescope::reference {
namespace {
std::vector<float> plain(const ModelValues::Matrix& matrix, int rows, int columns) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) values.push_back(matrix.at(row, column));
  }
  return values;
}
// x times a row-major matrix.
std::vector<double> times(const std::vector<double>& x, const std::vector<float>& matrix, int columns) {
  std::vector<double> y(static_cast<std::size_t>(columns));
  for (std::size_t row = 0; row < x.size(); ++row) {
    const float* values = matrix.data() + row * y.size();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[row] * double{values[i]};
  }
  return y;
}
}  // namespace

const Oracle::Expert& Oracle::expert(int layer, int index) {
  const auto [found, inserted] = experts_.try_emplace({layer, index});
  if (inserted) {
    const int h = shape_.hidden, d = shape_.intermediate;
    found->second = {plain(values_.matrix(layer, index, Projection::kGate), h, d),
                     plain(values_.matrix(layer, index, Projection::kUp), h, d),
                     plain(values_.matrix(layer, index, Projection::kDown), d, h)};
  }
  return found->second;
}

std::vector<double> Oracle::input(std::int64_t global_token) const {
  std::vector<double> x;
  for (int i = 0; i < shape_.hidden; ++i) x.push_back(values_.token(global_token, i));
  return x;
}

std::vector<double> Oracle::output(int step, std::int64_t global_token) {
  std::vector<double> x = input(global_token);
  for (int layer = 0; layer < shape_.layers; ++layer) add_layer(step * shape_.layers + layer, global_token, x);
  return x;
}

void Oracle::add_layer(int round, std::int64_t global_token, std::vector<double>& x) {
  const Routing& routing = routings_[static_cast<std::size_t>(round)];
  std::vector<double> sum(x.size());
  for (int slot = 0; slot < shape_.top_k; ++slot) {
    const auto pair = static_cast<std::size_t>(global_token * shape_.top_k + slot);
    const Expert& e = expert(round % shape_.layers, routing.expert[pair]);
    std::vector<double> middle = times(x, e.gate, shape_.intermediate);
    const std::vector<double> up = times(x, e.up, shape_.intermediate);
    for (std::size_t i = 0; i < middle.size(); ++i) middle[i] = middle[i] / (1 + std::exp(-middle[i])) * up[i];
    const std::vector<double> y = times(middle, e.down, shape_.hidden);
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] += double{routing.weight[pair]} * y[i];
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += sum[i];
}

}  // namespace moescope::reference

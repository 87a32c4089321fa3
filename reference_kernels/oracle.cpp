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
// x times its transpose.
std::vector<double> times_transposed(const std::vector<double>& x, const std::vector<float>& matrix, int rows) {
  std::vector<double> y(static_cast<std::size_t>(rows));
  for (std::size_t row = 0; row < y.size(); ++row) {
    const float* values = matrix.data() + row * x.size();
    for (std::size_t i = 0; i < x.size(); ++i) y[row] += x[i] * double{values[i]};
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
  for (int layer = 0; layer < shape_.layers; ++layer) add_layer(step, layer, global_token, x, nullptr);
  return x;
}

const std::pair<std::vector<float>, std::vector<float>>& Oracle::dense(int layer) {
  const auto [found, inserted] = dense_.try_emplace(layer);
  if (inserted) {
    found->second = {plain(values_.dense(layer, false), shape_.hidden, shape_.dense),
                     plain(values_.dense(layer, true), shape_.dense, shape_.hidden)};
  }
  return found->second;
}

void Oracle::add_expert(const Expert& e, double weight, const std::vector<double>& x, std::vector<double>& sum) {
  std::vector<double> middle = times(x, e.gate, shape_.intermediate);
  const std::vector<double> up = times(x, e.up, shape_.intermediate);
  for (std::size_t i = 0; i < middle.size(); ++i) middle[i] = middle[i] / (1 + std::exp(-middle[i])) * up[i];
  const std::vector<double> y = times(middle, e.down, shape_.hidden);
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += weight * y[i];
}

void Oracle::add_layer(int step, int layer, std::int64_t global_token, std::vector<double>& x,
                       std::vector<double>* seen) {
  if (shape_.dense > 0) {
    const auto& [in, out] = dense(layer);
    const std::vector<double> more = times(times(x, in, shape_.dense), out, shape_.hidden);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += more[i];
  }
  if (seen != nullptr) *seen = x;
  const Routing& routing = routings_[static_cast<std::size_t>(step * shape_.layers + layer)];
  std::vector<double> sum(x.size());
  for (int slot = 0; slot < shape_.top_k; ++slot) {
    const auto pair = static_cast<std::size_t>(global_token * shape_.top_k + slot);
    add_expert(expert(layer, routing.expert[pair]), double{routing.weight[pair]}, x, sum);
  }
  for (int i = 0; i < shape_.shared_experts; ++i) add_expert(expert(layer, shape_.experts + i), 1, x, sum);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += sum[i];
}

void Oracle::add_expert_gradient(const Expert& e, double weight, const std::vector<double>& x,
                                 const std::vector<double>& by_result, std::vector<double>& sum) {
  const std::vector<double> gate = times(x, e.gate, shape_.intermediate), up = times(x, e.up, shape_.intermediate);
  std::vector<double> by_gate = times_transposed(by_result, e.down, shape_.intermediate), by_up = by_gate;
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double sigmoid = 1 / (1 + std::exp(-gate[i]));
    by_up[i] *= weight * gate[i] * sigmoid;
    by_gate[i] *= weight * up[i] * (sigmoid + gate[i] * sigmoid * (1 - sigmoid));
  }
  const std::vector<double> a = times_transposed(by_gate, e.gate, shape_.hidden),
                            b = times_transposed(by_up, e.up, shape_.hidden);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += a[i] + b[i];
}

std::vector<double> Oracle::input_gradient(int step, std::int64_t global_token) {
  std::vector<std::vector<double>> seen(static_cast<std::size_t>(shape_.layers));
  std::vector<double> x = input(global_token);
  for (int layer = 0; layer < shape_.layers; ++layer) {
    add_layer(step, layer, global_token, x, &seen[static_cast<std::size_t>(layer)]);
  }
  std::vector<double> gradient;
  for (int i = 0; i < shape_.hidden; ++i) gradient.push_back(values_.gradient(global_token, i));
  for (int layer = shape_.layers - 1; layer >= 0; --layer) {
    const std::vector<double>& experts_saw = seen[static_cast<std::size_t>(layer)];
    const Routing& routing = routings_[static_cast<std::size_t>(step * shape_.layers + layer)];
    std::vector<double> sum = gradient;
    for (int slot = 0; slot < shape_.top_k; ++slot) {
      const auto pair = static_cast<std::size_t>(global_token * shape_.top_k + slot);
      add_expert_gradient(expert(layer, routing.expert[pair]), double{routing.weight[pair]}, experts_saw, gradient,
                          sum);
    }
    for (int i = 0; i < shape_.shared_experts; ++i) {
      add_expert_gradient(expert(layer, shape_.experts + i), 1, experts_saw, gradient, sum);
    }
    if (shape_.dense > 0) {
      const auto& [in, out] = dense(layer);
      const std::vector<double> more = times_transposed(times_transposed(sum, out, shape_.dense), in, shape_.hidden);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    }
    gradient = sum;
  }
  return gradient;
}

}  // namespace moescope::reference

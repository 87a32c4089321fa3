// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/workspace.h"

#include <algorithm>

namespace moescope::reference {
namespace {

std::size_t area(std::size_t rows, int width) {
  return rows * static_cast<std::size_t>(width);
}

template <class Element>
void pack(int k, int n, Element element, bool transposed, PackedMatrix& matrix, PackedMatrix& transpose) {
  matrix = PackedMatrix(k, n, element);
  if (transposed) transpose = PackedMatrix(n, k, [&](int row, int column) { return element(column, row); });
}

}  // namespace

Workspace::Workspace(const MoeShape& shape, const StepShape& step, int steps, Dtype dtype, const ModelValues& values,
                     const std::vector<ExchangePlan>& plans)
    : shape_(shape), map_{step.layers, step.micro_batches, step.in_flight, step.backward} {
  shape_.tokens = shape.tokens / step.micro_batches;
  const std::size_t tokens = static_cast<std::size_t>(shape.tokens),
                    batch_tokens = static_cast<std::size_t>(shape_.tokens);
  const std::size_t all = area(tokens, shape.hidden), of_batch = area(batch_tokens, shape.hidden);
  const auto step_count = static_cast<std::size_t>(steps), state_count = static_cast<std::size_t>(map_.states());
  for (int rank = 0; rank < shape.ranks; ++rank) {
    std::int64_t rows = 0;
    for (const ExchangePlan& plan : plans) rows = std::max(rows, plan.rows_on(rank));
    RankBuffers buffers;
    buffers.input.resize(all);
    buffers.output.assign(step_count, std::vector<float>(all));
    buffers.state.assign(state_count, std::vector<float>(of_batch));
    if (step.backward) {
      buffers.gradient_output.resize(all);
      buffers.gradient_input.assign(step_count, std::vector<float>(all));
      buffers.gradient_state.assign(state_count, std::vector<float>(of_batch));
      buffers.gradients.assign(static_cast<std::size_t>(step.layers), layer_gradients());
    }
    buffers.layer.assign(static_cast<std::size_t>(map_.layer_buffers()),
                         layer_buffers(static_cast<std::size_t>(rows), dtype, step.backward));
    for (std::size_t i = 0; i < all; ++i) {
      const std::int64_t token = std::int64_t{rank} * shape.tokens + static_cast<std::int64_t>(i) / shape.hidden;
      const int column = static_cast<int>(i % static_cast<std::size_t>(shape.hidden));
      buffers.input[i] = values.token(token, column);
      if (step.backward) buffers.gradient_output[i] = values.gradient(token, column);
    }
    ranks_.push_back(std::move(buffers));
  }
  make_weights(values, step.backward);
}

LayerBuffers Workspace::layer_buffers(std::size_t rows, Dtype dtype, bool backward) const {
  const auto tokens = static_cast<std::size_t>(shape_.tokens);
  const int h = shape_.hidden, d = shape_.intermediate, shared = shape_.shared_experts * d;
  const auto row_count = static_cast<std::int64_t>(rows);
  const bool has_shared = shared > 0, has_dense = shape_.dense > 0;
  LayerBuffers b;
  b.received = WireRows(dtype, row_count, h);
  b.row_weight.resize(rows);
  b.middle.resize(area(rows, 2 * d));
  b.activated.resize(area(rows, d));
  b.result = WireRows(dtype, row_count, h);
  if (dtype != Dtype::kFp32 || backward) b.sums.resize(area(rows, h));
  if (backward) b.sums_up.resize(area(rows, h));
  b.slots = WireRows(dtype, std::int64_t{shape_.tokens} * shape_.top_k, h);
  if (has_dense) b.dense_in.resize(area(tokens, h)), b.dense_middle.resize(area(tokens, shape_.dense));
  if (has_shared) {
    b.shared_middle.resize(area(tokens, 2 * shared));
    b.shared_active.resize(area(tokens, shared));
    b.shared_result.resize(area(tokens, h));
  }
  if (!backward) return b;
  b.gradient_received = WireRows(dtype, row_count, h);
  b.gradient_activated.resize(area(rows, d));
  b.gradient_middle.resize(area(rows, 2 * d));
  if (has_dense)
    b.gradient_dense_in.resize(area(tokens, h)), b.gradient_dense_middle.resize(area(tokens, shape_.dense));
  if (has_shared) {
    b.gradient_shared_active.resize(area(tokens, shared));
    b.gradient_shared_middle.resize(area(tokens, 2 * shared));
    b.gradient_shared_result.resize(area(tokens, h));
  }
  return b;
}

LayerGradients Workspace::layer_gradients() const {
  const auto h = static_cast<std::size_t>(shape_.hidden);
  const auto expert = [h](int width) {
    const std::size_t size = area(h, width);
    return ExpertGradients{std::vector<float>(size), std::vector<float>(size), std::vector<float>(size)};
  };
  LayerGradients g;
  g.experts.assign(static_cast<std::size_t>(shape_.local_experts()), expert(shape_.intermediate));
  g.shared = expert(shape_.shared_experts * shape_.intermediate);
  g.dense = {std::vector<float>(area(h, shape_.dense)), std::vector<float>(area(h, shape_.dense))};
  g.reduced.resize(area(h, 3 * shape_.shared_experts * shape_.intermediate + 2 * shape_.dense));
  return g;
}

void Workspace::make_weights(const ModelValues& values, bool transposed) {
  const int h = shape_.hidden, d = shape_.intermediate;
  // Shared experts side by side are one expert of their widths together.
  const auto make = [&](int layer, int first, int count) {
    const auto of = [&](Projection projection) {
      std::vector<ModelValues::Matrix> matrices;
      for (int i = 0; i < count; ++i) matrices.push_back(values.matrix(layer, first + i, projection));
      return matrices;
    };
    const auto gate = of(Projection::kGate), up = of(Projection::kUp), down = of(Projection::kDown);
    const auto which = [d](int n) { return static_cast<std::size_t>(n / d); };
    ExpertWeights weights;
    pack(
        h, count * d, [&](int k, int n) { return gate[which(n)].at(k, n % d); }, transposed, weights.gate,
        weights.gate_t);
    pack(
        h, count * d, [&](int k, int n) { return up[which(n)].at(k, n % d); }, transposed, weights.up, weights.up_t);
    pack(
        count * d, h, [&](int k, int n) { return down[which(k)].at(k % d, n); }, transposed, weights.down,
        weights.down_t);
    return weights;
  };
  for (int layer = 0; layer < map_.layers; ++layer) {
    for (int expert = 0; expert < shape_.experts; ++expert) experts_.push_back(make(layer, expert, 1));
    if (shape_.shared_experts > 0) shared_.push_back(make(layer, shape_.experts, shape_.shared_experts));
    if (shape_.dense == 0) continue;
    const auto in = values.dense(layer, false), out = values.dense(layer, true);
    DenseWeights weights;
    pack(
        h, shape_.dense, [&](int k, int n) { return in.at(k, n); }, transposed, weights.in, weights.in_t);
    pack(
        shape_.dense, h, [&](int k, int n) { return out.at(k, n); }, transposed, weights.out, weights.out_t);
    dense_.push_back(std::move(weights));
  }
}

double Workspace::bytes_needed(const MoeShape& shape, const StepShape& step, int steps, Dtype dtype) {
  const double h = shape.hidden, d = shape.intermediate, tokens = double{1} * shape.tokens * shape.ranks;
  const double batch_tokens = tokens / step.micro_batches, pairs = batch_tokens * shape.top_k;
  const double wire = bytes_per_element(dtype), shared = d * shape.shared_experts;
  const BufferMap map{step.layers, step.micro_batches, step.in_flight, step.backward};
  const double passes = step.backward ? 2 : 1;
  // Packed, transposed for the backward pass, its gradients, and the oracle's own.
  const double parameters = (3 * h * d * shape.experts + 3 * h * shared + 2 * h * shape.dense) * step.layers;
  const double weights = parameters * 4 * (step.backward ? 4 : 2);
  const double a_layer =
      pairs * ((2 + passes) * h * wire + (dtype == Dtype::kFp32 && !step.backward ? 0 : passes * 4 * h) +
               passes * 3 * d * 4 + 4) +
      passes * batch_tokens * 4 * (2 * h + shape.dense + 3 * shared);
  return weights + tokens * h * 4 * (1 + steps) * passes + map.states() * batch_tokens * h * 4 * passes +
         map.layer_buffers() * a_layer + tokens * shape.top_k * 16.0 * step.layers * steps;
}

}  // namespace moescope::reference

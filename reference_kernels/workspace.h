#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every buffer a job computes in, of all ranks, laid out once before the clock starts. No arithmetic here. The plan's
// own waits keep a buffer from being written while somebody reads it: forward, a layer's buffers are those of the layer
// before; where the backward pass needs them again, each layer of each micro-batch has its own.

#include <cstdint>
#include <vector>

#include "reference_kernels/cpu/gemm.h"
#include "reference_kernels/exchange_plan.h"
#include "reference_kernels/model_values.h"
#include "reference_kernels/step_plan.h"
#include "reference_kernels/wire_rows.h"

namespace moescope::reference {

// Which of a rank's buffers belong to a layer of a micro-batch.
struct BufferMap {
  int layers = 1, micro_batches = 1, in_flight = 1;
  bool backward = false;
  int layer_buffers() const { return backward ? micro_batches * layers : in_flight; }
  int layer(int batch, int layer) const { return backward ? batch * layers + layer : batch % in_flight; }
  // Tokens between layers; boundary 0 is the input, `layers` the output, which lie elsewhere.
  int states() const { return backward ? micro_batches * (layers + 1) : 2 * in_flight; }
  int state(int batch, int boundary) const {
    return backward ? batch * (layers + 1) + boundary : 2 * (batch % in_flight) + boundary % 2;
  }
};

// A gated feed-forward network: hidden x width, and width x hidden. The transposes only with the backward pass.
struct ExpertWeights {
  PackedMatrix gate, up, down;
  PackedMatrix gate_t, up_t, down_t;
};
struct DenseWeights {
  PackedMatrix in, out;  // hidden x dense, dense x hidden
  PackedMatrix in_t, out_t;
};
// Row-major, shaped as the weights; summed over micro-batches.
struct ExpertGradients {
  std::vector<float> gate, up, down;
};
struct DenseGradients {
  std::vector<float> in, out;
};

// Of one layer of one micro-batch on one rank. Rows: received rows; tokens: the rank's own.
struct LayerBuffers {
  WireRows received;                          // tokens to this rank's experts, rows by expert
  std::vector<float> row_weight;              // router weight of each received row
  std::vector<float> middle;                  // rows x 2 intermediate: gate | up
  std::vector<float> activated;               // rows x intermediate
  WireRows result;                            // rows as received
  std::vector<float> sums, sums_up;           // rows x hidden: sums under way; where result is not fp32, and backward
  WireRows slots;                             // tokens x top_k results, pulled back
  std::vector<float> dense_in, dense_middle;  // tokens x hidden (what the experts see), tokens x dense
  std::vector<float> shared_middle, shared_active;  // tokens x 2 shared width, tokens x shared width
  std::vector<float> shared_result;                 // tokens x hidden
  // The backward pass: gradients of the above.
  WireRows gradient_received;
  std::vector<float> gradient_activated, gradient_middle;
  std::vector<float> gradient_dense_in, gradient_dense_middle;
  std::vector<float> gradient_shared_active, gradient_shared_middle, gradient_shared_result;
};

// What a rank holds of a layer's parameters' gradients.
struct LayerGradients {
  std::vector<ExpertGradients> experts;  // local ones
  ExpertGradients shared;
  DenseGradients dense;
  // The sum over ranks of those that every rank has a copy of: shared gate, up, down, dense in, out, end to end.
  std::vector<float> reduced;
};

struct RankBuffers {
  std::vector<float> input;                               // tokens x hidden: what every step starts from
  std::vector<float> gradient_output;                     // tokens x hidden: what every backward pass starts from
  std::vector<std::vector<float>> output;                 // a step each
  std::vector<std::vector<float>> gradient_input;         // a step each, with the backward pass
  std::vector<std::vector<float>> state, gradient_state;  // by BufferMap
  std::vector<LayerBuffers> layer;                        // by BufferMap
  std::vector<LayerGradients> gradients;                  // a layer each
};

class Workspace {
 public:
  // plans: of every layer of every micro-batch of every step, in that order from the outside in: [step][batch][layer].
  Workspace(const MoeShape& shape, const StepShape& step, int steps, Dtype dtype, const ModelValues& values,
            const std::vector<ExchangePlan>& plans);
  RankBuffers& rank(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const RankBuffers& rank(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  const BufferMap& map() const { return map_; }
  const ExpertWeights& weights(int layer, int expert) const {
    return experts_[static_cast<std::size_t>(layer) * static_cast<std::size_t>(shape_.experts) +
                    static_cast<std::size_t>(expert)];
  }
  const ExpertWeights& shared(int layer) const { return shared_[static_cast<std::size_t>(layer)]; }
  const DenseWeights& dense(int layer) const { return dense_[static_cast<std::size_t>(layer)]; }
  // What it takes, before anything is allocated; routing assumed even.
  static double bytes_needed(const MoeShape& shape, const StepShape& step, int steps, Dtype dtype);

 private:
  void make_weights(const ModelValues& values, bool transposed);
  LayerBuffers layer_buffers(std::size_t rows, Dtype dtype, bool backward) const;
  LayerGradients layer_gradients() const;
  MoeShape shape_;  // tokens: of a micro-batch
  BufferMap map_;
  std::vector<RankBuffers> ranks_;
  std::vector<ExpertWeights> experts_;  // [layer][expert]
  std::vector<ExpertWeights> shared_;   // a layer each
  std::vector<DenseWeights> dense_;
};

}  // namespace moescope::reference

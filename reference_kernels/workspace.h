#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every buffer a job computes in, of all ranks, laid out once before the clock starts. No arithmetic here. The
// schedules' own waits keep a buffer from being written while another rank reads it: a layer's dispatch follows every
// combine of the layer before.

#include <cstdint>
#include <span>
#include <vector>

#include "reference_kernels/bf16.h"
#include "reference_kernels/cpu/gemm.h"
#include "reference_kernels/exchange_plan.h"
#include "reference_kernels/model_values.h"

namespace moescope::reference {

// Rows of `hidden` elements in the wire's element type.
class WireRows {
 public:
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
  Dtype dtype_;
  int width_;
  std::vector<float> floats_;
  std::vector<std::uint16_t> halves_;
};

struct ExpertWeights {
  PackedMatrix gate, up;  // hidden x intermediate
  PackedMatrix down;      // intermediate x hidden
};

struct RankBuffers {
  std::vector<float> input;                // tokens x hidden: what every step starts from
  std::vector<float> layer[2];             // between layers, in turn
  std::vector<std::vector<float>> output;  // a step each
  WireRows received;                       // dispatched tokens, rows by expert
  std::vector<float> row_weight;           // router weight of each received row
  std::vector<float> middle;  // received rows x 2 intermediate: gate | up, then the activation in the first half
  WireRows result;            // expert outputs, rows as received
  WireRows slots;             // tokens x top_k results, pulled back
  std::vector<float> sums;    // rows x hidden: L2's sums, where result is not fp32
};

class Workspace {
 public:
  // Plans: one a round, step-major.
  Workspace(const MoeShape& shape, int steps, Dtype dtype, const ModelValues& values,
            const std::vector<ExchangePlan>& plans);
  RankBuffers& rank(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const RankBuffers& rank(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  const ExpertWeights& weights(int layer, int expert) const {
    return weights_[static_cast<std::size_t>(layer) * static_cast<std::size_t>(experts_) +
                    static_cast<std::size_t>(expert)];
  }
  // What it takes, before anything is allocated; routing assumed even.
  static double bytes_needed(const MoeShape& shape, int steps, Dtype dtype);

 private:
  int experts_;
  std::vector<RankBuffers> ranks_;
  std::vector<ExpertWeights> weights_;  // [layer][expert]
};

}  // namespace moescope::reference

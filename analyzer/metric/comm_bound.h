#pragma once
// SPDX-License-Identifier: Apache-2.0
// Can the communication of a MoE layer hide under its compute at all? The bound says how many FLOPs a byte on the wire
// brings with it; hardware (or the run itself) says how many FLOPs pass while a byte does. One entry a pass.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/metric/layer_table.h"
#include "analyzer/model/answer.h"

namespace moescope {

// What one token-expert pair costs: 2 m h d FLOPs against h * (rho_d b_d + rho_c b_c) bytes, of which a fraction f
// leaves the rank. The hidden width h cancels. d is one expert's intermediate width, not the hidden width.
struct BoundShape {
  double matrices = 3;                             // m: 3 with a gate (SwiGLU), 2 without
  double intermediate = 0;                         // d
  double dispatch_bytes = 0;                       // b_d, bytes an element, scale factors included
  double combine_bytes = 0;                        // b_c
  double remote_fraction = 1;                      // f: pairs whose expert lives on another rank
  double dispatch_copies = 1, combine_copies = 1;  // rho: copies sent a pair; below 1 where copies are shared
  double flops_factor = 1;  // 2 in the backward pass; (k+s)/k with s shared experts inside the overlap
};
double flops_per_byte_bound(const BoundShape& shape);
// Copies a pair when one copy serves all of a token's experts on a rank, routing uniform: E[distinct ranks] / k.
double shared_copies(int experts, int ranks, int top_k);

// One device's expert compute and token transfer, pass by pass and step by step.
class BoundSums {
 public:
  // A sum that is known only where every part of it is.
  struct Known {
    double total = 0;
    std::size_t known = 0, unknown = 0;
    void add(double part) {
      if (part < 0) {
        ++unknown;
      } else {
        ++known;
        total += part;
      }
    }
    bool complete() const { return known > 0 && unknown == 0; }
  };
  struct Cell {
    UnionLength expert, payload;
    Known flops, bytes;  // of the matrix stages; of the payload
  };
  void add(const SpanTable& spans, const WorkRow& row) {
    const bool expert = kExpertStages.contains(row.role);
    if (!expert && (row.control || !kTokenStages.contains(row.role))) return;
    auto& [step, cell] = last_[static_cast<std::size_t>(row.pass)];
    if (cell == nullptr || step != row.place->step) step = row.place->step, cell = &cells_[{row.pass, step}];
    (expert ? cell->expert : cell->payload).add(row.interval);
    if (!expert)
      cell->bytes.add(static_cast<double>(spans.bytes[row.row]));
    else if (row.role != Stage::kACT)
      cell->flops.add(spans.flops[row.row]);
  }
  const std::map<std::pair<Pass, StepId>, Cell>& cells() const { return cells_; }

 private:
  struct Last {  // neighbours mostly share their step
    StepId step;
    Cell* cell = nullptr;  // in cells_
  } last_[MOESCOPE_PASS_COUNT];
  std::map<std::pair<Pass, StepId>, Cell> cells_;
};

struct CommBound {
  Pass pass = Pass::kUNKNOWN;
  Answer<std::string> tier = Abstained{};                      // the kind of link the bytes cross
  Answer<double> flops_per_byte_bound = Abstained{};           // from the model's shape and wire formats
  std::string remote_fraction_source;                          // where f came from; empty without a bound
  Answer<double> flops_per_byte_measured = Abstained{};        // FLOPs and wire bytes as recorded
  Answer<double> compute_to_bandwidth_peak = Abstained{};      // FLOPs a byte: peak compute over one-way link rate
  Answer<double> compute_to_bandwidth_achieved = Abstained{};  // the same of rates reached while working
  Answer<double> headroom_peak = Abstained{}, headroom_achieved = Abstained{};  // ratio; above 1 it can hide
  Answer<double> overlap_ceiling = Abstained{};  // min(1, headroom): achieved where known, else peak
  std::string overlap_ceiling_basis;             // "achieved" or "peak"; empty without one
  bool includes_wait = false;  // transfer time holds waiting for other ranks: achieved headroom is a lower bound
  std::vector<Answer<double>> min_exposed_ns;  // a device: sum over its layers of max(0, T_comm - T_comp), a step
};

// Ascending by pass; only passes with dispatch, combine or expert work. Backward has no theoretical bound: its wire
// formats are not in the record.
std::vector<CommBound> comm_bounds(const Trace& trace, const Selection& selection,
                                   const std::vector<BoundSums>& devices, const LayerInstances& instances);

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The chains dispatch ... experts ... combine in the work of one device, in the order they open.

#include <cstdint>
#include <vector>

#include "analyzer/stage/attribution.h"

namespace moescope {

struct LayerChain {
  bool backward = false;
  MicroBatchId micro_batch;  // as marked
  std::size_t first_row = 0;
  Ns open = 0, close = 0;  // start of its first exchange, end of the last one so far
  bool experts = false, complete = false;
};

struct LayerChains {
  std::vector<LayerChain> chains;                                 // by the start of their first exchange
  std::vector<std::pair<std::uint32_t, std::int32_t>> member_of;  // (row, chain) of the rows of some chain
  std::vector<std::pair<std::size_t, Stage>> paired;              // (row, role) of generic all-to-alls
  int halves = 1;           // kernels an exchange: 2 where sending and receiving are launched apart
  std::size_t a_layer = 1;  // chains a layer: more than 1 where its tokens or experts are cut into waves
};

// rows: the device's work with a stage of an expert layer (and attention), in the order of starts. Each pass, and each
// micro-batch where marked, is followed by itself: an exchange or a GEMM goes to the oldest chain that waits for one.
LayerChains layer_chains(const Trace& trace, const Attribution& attribution, const std::vector<std::uint32_t>& rows);

}  // namespace moescope

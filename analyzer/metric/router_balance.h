#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tokens per expert and per rank, layer by layer. A layer's figure is the mean over its instances (step x micro-batch),
// because time is lost instance by instance; only dead experts and drops are counted over all of them. Instances
// without tokens are left out and counted.

#include <vector>

#include "analyzer/metric/layer_table.h"
#include "analyzer/model/answer.h"

namespace moescope {

struct RouterLayer {
  LayerId layer;
  std::size_t instances = 0;  // with tokens
  Answer<double> max_over_mean = Abstained{}, cv = Abstained{}, gini = Abstained{}, entropy_normalised = Abstained{},
                 dead_experts = Abstained{}, dropped_fraction = Abstained{};
  Answer<double> balancedness_sglang = Abstained{}, balancedness_vllm = Abstained{};  // of the ranks' loads
};

struct RouterBalance {
  std::vector<RouterLayer> layers;  // ascending; only those with tokens
  std::size_t instances_without_tokens = 0;
  bool synthetic = false;           // routing was forced or made up: no figure here is of a real router
  bool placement_in_order = false;  // the placement numbers its layers otherwise: they were taken in order
  Answer<double> dropped_fraction = Abstained{}, ranks_max_over_mean = Abstained{}, balancedness_sglang = Abstained{},
                 balancedness_vllm = Abstained{};
  // Per step: over layers, the slowest rank's expert compute less the mean over ranks, ns.
  Answer<double> straggler_ns = Abstained{};
};

RouterBalance router_balance(const Trace& trace, const Selection& selection, const LayerInstances& instances);

}  // namespace moescope

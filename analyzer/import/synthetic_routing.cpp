// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/synthetic_routing.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace moescope {
namespace {

// As few may be even by chance, or in a test of one batch.
constexpr std::size_t kFewestInstances = 8;

// What frameworks call forced routing: Megatron-LM's random logits and its option, vLLM's simulator of routing.
constexpr std::string_view kForced[] = {"RandomSTE", "apply_random_logits", "force_load_balancing", "RoutingSimulator",
                                        "routing_simulator"};

void say(Trace& trace, std::int64_t count, std::string text) {
  if (!trace.model) trace.model = Model{};
  trace.model->synthetic_routing = 1;
  trace.diagnostics.push_back({"warning", "synthetic_routing", count, std::move(text)});
}

// Instances (a layer in a step and micro-batch) with tokens, if in every one all experts have equally many; else 0.
std::size_t even_instances(const Trace& trace) {
  std::map<std::tuple<Side, std::int32_t, std::int32_t, std::int32_t>, std::map<std::int32_t, std::int64_t>> instances;
  std::int32_t experts = trace.model ? trace.model->experts : -1;
  for (const RouterLoad& load : trace.router_loads) {
    instances[{load.side, load.step.value, load.layer.value, load.micro_batch.value}][load.expert.value] +=
        load.assigned;
    experts = std::max(experts, load.expert.value + 1);
  }
  if (experts < 2) return 0;
  std::size_t even = 0;
  for (const auto& [key, counts] : instances) {
    const std::int64_t first = counts.begin()->second;
    const auto empty = [](const auto& one) { return one.second == 0; };
    if (std::all_of(counts.begin(), counts.end(), empty)) continue;  // a layer without experts
    if (counts.size() != static_cast<std::size_t>(experts)) return 0;
    for (const auto& [expert, tokens] : counts)
      if (tokens != first) return 0;
    ++even;
  }
  return even;
}

}  // namespace

void settle_synthetic_routing(Trace& trace) {
  if (trace.model && trace.model->synthetic_routing >= 0) return;
  for (const std::string& name : trace.names)
    for (const std::string_view forced : kForced)
      if (name.find(forced) != std::string::npos)
        return say(trace, 1, "routing was forced: the record names " + std::string(forced));
  const std::size_t even = even_instances(trace);
  if (even >= kFewestInstances)
    say(trace, static_cast<std::int64_t>(even),
        "routing looks forced: every expert has exactly as many tokens as any other in each layer and step");
}

}  // namespace moescope

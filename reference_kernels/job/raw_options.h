#pragma once
// SPDX-License-Identifier: Apache-2.0
// The command line as typed, before anything is checked.

#include <cstdint>
#include <optional>
#include <string>

#include "reference_kernels/job/job_spec.h"

namespace moescope::reference {

struct RawOptions {
  std::string preset = "tiny", schedule = "wave", backend = "cpu", clock = "virtual", engines = "link,compute";
  std::optional<int> ranks, tokens, hidden, intermediate, experts, topk, layers, steps;
  std::optional<int> micro_batches, in_flight, shared_experts, dense, nodes, node_limit;
  std::optional<int> chunks, blocks, slices, warm_up, ring, workers;
  std::optional<std::string> waves, wave_sizes, dtype, routing, link, flops, latency, overheads, stages;
  std::optional<double> dispatch_bytes, combine_bytes, act_share;
  std::uint64_t seed = 1;
  bool backward = false, allreduce = false, fixed = false, check = false, json = false, quiet = false;
};

int in_range(std::string_view option, int value, int low, int high);  // throws UsageError

// Which schedule, and how it cuts the work; spec has its shape and stage times by now. Throws UsageError.
void resolve_schedule(const RawOptions& raw, JobSpec& spec);

}  // namespace moescope::reference

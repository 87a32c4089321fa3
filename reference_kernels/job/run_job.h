#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs a job and accounts for it. The accounting is the job's own: a recording is held against it.

#include <cstdint>
#include <optional>
#include <vector>

#include "reference_kernels/job/job_spec.h"

namespace moescope::reference {

struct StageTotal {
  int rank = 0;
  Stage stage = Stage::kDispatch;
  Direction direction = Direction::kForward;
  double time_ns = 0;  // over all steps, micro-batches, layers and parts, as stamped
  std::int64_t bytes = 0, flops = 0;
  int spans = 0;
};

struct JobResult {
  double makespan_ns = 0;
  double serial_ns = 0;  // its own stages one after the other, each as long as its slowest rank
  double ideal_ns = 0;   // discrete-event makespan of the same schedule on the same task times
  double bound_ns = 0;   // no schedule is faster
  std::vector<StageTotal> stages;
  std::vector<std::vector<std::int64_t>> tokens_per_expert;  // [layer][expert], over all steps and ranks
  std::optional<std::uint64_t> checksum;                     // of the bits of all output tokens
  std::optional<double> oracle_rel_l2;
  std::optional<double> oracle_gradient_rel_l2;  // of gradients by the input, with a backward pass
  std::int64_t oracle_tokens = 0;                // of steps * ranks * tokens, evenly spread
};

// The largest relative error --check lets pass. bf16 rounds every token and every result to 8 bits.
constexpr double oracle_tolerance(Dtype dtype) {
  return dtype == Dtype::kFp32 ? 1e-5 : 1e-2;
}

// Throws std::logic_error where the job contradicts itself.
JobResult run_job(const JobSpec& spec);

}  // namespace moescope::reference

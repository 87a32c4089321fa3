#pragma once
// SPDX-License-Identifier: Apache-2.0
// Everything a run of the job is determined by: the options, resolved and checked.

#include <cstdint>
#include <optional>
#include <string>

#include "reference_kernels/cost_model.h"
#include "reference_kernels/layer_volume.h"
#include "reference_kernels/moe_shape.h"
#include "reference_kernels/routing.h"
#include "reference_kernels/schedule/schedules.h"
#include "reference_kernels/step_plan.h"
#include "reference_kernels/tiling.h"

namespace moescope::reference {

enum class ClockKind { kVirtual, kPaced, kReal };
std::string_view name(ClockKind clock);

struct JobSpec {
  std::string preset = "tiny";
  std::string schedule_name = "wave";
  std::string schedule_reason;  // why its numbers are what they are, where the job chose them
  EngineMap engines = kLinkCompute;
  ClockKind clock = ClockKind::kVirtual;
  MoeShape shape;
  int steps = 1;
  Dtype dtype = Dtype::kFp32;
  WireFormat wire;
  RoutingSpec routing;
  bool fixed_routing = false;  // the same in every step
  std::uint64_t seed = 1;
  StepShape step;                    // of the plan; layers and workers as in shape and cost
  Tiling tiling = Tiling::whole(1);  // the schedule, and what its parts are
  CostModel cost;
  std::optional<StageTimes> stage_times;
  bool check = false;

  StepPlan plan() const { return StepPlan(tiling.schedule(engines), step); }
  // The shape of a micro-batch.
  MoeShape batch_shape() const {
    MoeShape batch = shape;
    batch.tokens /= step.micro_batches;
    return batch;
  }
  // Arithmetic is done on the real clock, and for the check.
  bool computes() const { return check || clock == ClockKind::kReal; }
};

}  // namespace moescope::reference

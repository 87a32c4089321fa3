#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the job tells a collector, through the public header alone. Without a collector every call returns at once; with
// one, nothing the job computes or times in virtual time changes.

#include <cstdint>
#include <string>
#include <vector>

#include "moescope/annotate.h"
#include "reference_kernels/expert_rows.h"
#include "reference_kernels/lanes.h"
#include "reference_kernels/layer_volume.h"
#include "reference_kernels/moe_shape.h"
#include "reference_kernels/step_plan.h"
#include "reference_kernels/task_table.h"
#include "reference_kernels/tiling.h"

namespace moescope::reference {

// What a recording says about the run as a whole.
struct RunFacts {
  std::string model;
  MoeShape shape;
  int steps = 1;
  Dtype dtype = Dtype::kFp32;
  WireFormat wire;
  std::string device;
  double peak_flops = -1;             // a rank; -1 unknown
  double link_bytes_per_second = -1;  // a rank, one direction
  bool has_work = true;               // false: stage times were given, there are no bytes, FLOPs or tokens
};

class Recording {
 public:
  // rows: [step][micro-batch][layer]; empty without work. All references outlive the object.
  Recording(const RunFacts& facts, const StepPlan& plan, const Lanes& lanes, const Tiling& tiling,
            const Volumes& volumes, const std::vector<ExpertRows>& rows)
      : facts_(facts),
        plan_(plan),
        lanes_(lanes),
        tiling_(tiling),
        schedule_(tiling.schedule(plan.engines())),
        volumes_(volumes),
        rows_(rows) {}

  // Once a run, before any work: model, devices, group, placement.
  void describe_run() const;

  // From the thread that is one lane of one rank.
  void thread_begins(int rank, int lane) const;
  void step_begins(int step) const;
  void step_ends() const;
  // One pair of stamps, CLOCK_MONOTONIC ns, for the job's account and for the record: a second pair, taken beside them,
  // would differ by whatever the system does to the thread in between.
  void task_ran(int round, int rank, Task task, std::int64_t start_ns, std::int64_t end_ns) const;

  // A whole run at once, on the clock "virtual"; step_end_ns: one a step.
  void write_timeline(const Timeline& timeline, const std::vector<double>& step_end_ns) const;

 private:
  const Round& of_step(int round) const { return plan_.round(round % plan_.rounds()); }
  int step(int round) const { return round / plan_.rounds(); }
  const ExpertRows& rows(int round) const;
  // Spans of stages that no schedule cuts have neither.
  int wave(Task task) const;
  int chunk(Task task) const;
  int step_kind() const;
  // What the task is and moved, added to a span that has its times.
  void write(moescope_span_t& span, int round, int rank, Task task) const;
  void router_load(int round, int rank) const;
  void peer_traffic(int round, int rank, Task task) const;

  const RunFacts& facts_;
  const StepPlan& plan_;
  const Lanes& lanes_;
  const Tiling& tiling_;
  AnySchedule schedule_;
  const Volumes& volumes_;
  const std::vector<ExpertRows>& rows_;
};

// What a task physically does, what its place in the layer is, and in which pass, as numbers of the public header.
// Backward, the gradients of results take the way of dispatch and play the role of combine, and the other way round.
struct PublicStage {
  int stage, role, pass;
};
PublicStage public_stage(Stage stage, Direction direction);

}  // namespace moescope::reference

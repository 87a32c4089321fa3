#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the job tells a collector, through the public header alone. Without a collector every call returns at once; with
// one, nothing the job computes or times in virtual time changes.

#include <cstdint>
#include <string>
#include <vector>

#include "moescope/annotate.h"
#include "reference_kernels/layer_volume.h"
#include "reference_kernels/moe_shape.h"
#include "reference_kernels/task_table.h"
#include "reference_kernels/wave_partition.h"

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
  // counts: a round each, as count_tokens gives; empty without work. All references outlive the object.
  Recording(const RunFacts& facts, const EngineMap& engines, const WavePartition& waves, bool number_waves,
            const Volumes& volumes, const std::vector<std::vector<std::int64_t>>& counts)
      : facts_(facts),
        engines_(engines),
        waves_(waves),
        number_waves_(number_waves),
        volumes_(volumes),
        counts_(counts) {}

  // Once a run, before any work: model, devices, group, placement.
  void describe_run() const;

  // From the thread that is one engine of one rank.
  void thread_begins(int rank, int engine) const;
  void step_begins(int step) const;
  void step_ends() const;
  void layer_begins(int round, int rank, int engine) const;
  // One pair of stamps, CLOCK_MONOTONIC ns, for the job's account and for the record: a second pair, taken beside them,
  // would differ by whatever the system does to the thread in between.
  void task_ran(int round, int rank, Task task, std::int64_t start_ns, std::int64_t end_ns) const;

  // A whole run at once, on the clock "virtual"; step_end_ns: one a step.
  void write_timeline(const Timeline& timeline, const std::vector<double>& step_end_ns) const;

 private:
  int wave_number(Task task) const { return number_waves_ ? task.wave : -1; }
  int step(int round) const { return round / facts_.shape.layers; }
  int layer(int round) const { return round % facts_.shape.layers; }
  // What the task is and moved, added to a span that has its times.
  void write(moescope_span_t& span, int round, int rank, Task task) const;
  void router_load(int round, int rank) const;
  void peer_traffic(int round, int rank, Task task) const;

  const RunFacts& facts_;
  const EngineMap& engines_;
  const WavePartition& waves_;
  bool number_waves_;
  const Volumes& volumes_;
  const std::vector<std::vector<std::int64_t>>& counts_;
};

// The number of a stage in the public header.
int public_stage(Stage stage);

}  // namespace moescope::reference

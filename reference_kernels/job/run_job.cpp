// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "reference_kernels/cpu/fma_peak.h"
#include "reference_kernels/cpu/paced_time.h"
#include "reference_kernels/cpu/real_time.h"
#include "reference_kernels/cpu/run_threads.h"
#include "reference_kernels/cpu/thread_backend.h"
#include "reference_kernels/job/oracle_check.h"
#include "reference_kernels/time_bounds.h"
#include "reference_kernels/virtual_backend.h"

namespace moescope::reference {
namespace {

constexpr double kRounding = 1e-9;  // of sums of doubles in a different order

// All that is known before the clock starts.
struct Prepared {
  std::vector<ExpertRows> rows;   // a round each; empty where only times are given
  std::vector<Routing> routings;  // kept only where arithmetic is done
  std::vector<ExchangePlan> plans;
  Volumes volumes;
  Durations durations;  // by the cost model, or given
};

Prepared prepare(const JobSpec& spec) {
  Prepared p;
  p.volumes = Volumes(spec.rounds(), spec.shape.ranks, StageParts::of(spec.tiling));
  if (spec.stage_times) {
    p.durations =
        durations_of(*spec.stage_times, spec.tiling, spec.cost.overheads, spec.rounds(), spec.cost.compute_workers);
    return p;
  }
  const Router router(spec.shape, spec.routing, spec.seed);
  for (int round = 0; round < spec.rounds(); ++round) {
    const int step = spec.fixed_routing ? 0 : round / spec.shape.layers;
    Routing routing = router.route(step, round % spec.shape.layers);
    p.rows.emplace_back(spec.shape, count_tokens(spec.shape, routing));
    fill_volumes(spec.shape, spec.wire, spec.tiling, p.rows.back(), round, p.volumes);
    if (!spec.computes()) continue;
    p.plans.emplace_back(spec.shape, spec.tiling, routing);
    p.routings.push_back(std::move(routing));
  }
  p.durations = spec.cost.durations(p.volumes, spec.tiling);
  return p;
}

RunFacts facts_of(const JobSpec& spec, GemmPath path) {
  RunFacts facts;
  facts.model = "refmoe-" + spec.preset;
  facts.shape = spec.shape;
  facts.steps = spec.steps;
  facts.dtype = spec.dtype;
  facts.wire = spec.wire;
  facts.has_work = !spec.stage_times;
  facts.device = fmt::format("emulated ({} clock)", name(spec.clock));
  if (!facts.has_work) return facts;
  facts.link_bytes_per_second = spec.cost.link_bytes_per_second;
  facts.peak_flops = spec.cost.flops_per_second;
  if (spec.clock == ClockKind::kReal) {
    const double cores = std::max(1u, std::thread::hardware_concurrency());
    facts.peak_flops = measure_fma_peak(path) * std::min(1.0 * spec.cost.compute_workers, cores / spec.shape.ranks);
  }
  return facts;
}

std::vector<double> step_ends(const Timeline& timeline, int layers, double latency_ns) {
  std::vector<double> ends(static_cast<std::size_t>(timeline.rounds() / layers));
  timeline.for_each([&](int round, int, Task task, const Stamp& stamp) {
    double& end = ends[static_cast<std::size_t>(round / layers)];
    end = std::max(end, stamp.end_ns + (is_link_stage(task.stage) ? latency_ns : 0.0));
  });
  return ends;
}

Durations measured(const Timeline& timeline) {
  Durations durations(timeline.rounds(), timeline.ranks(), timeline.parts());
  timeline.for_each([&](int round, int rank, Task task, const Stamp& stamp) {
    durations.at(round, rank, task) = stamp.end_ns - stamp.start_ns;
  });
  return durations;
}

void account(const JobSpec& spec, const Prepared& p, const Timeline& timeline, JobResult& result) {
  for (int rank = 0; rank < spec.shape.ranks; ++rank) {
    for (Stage stage : kAllStages) {
      StageTotal total{rank, stage, 0, 0, 0, 0};
      for (int round = 0; round < timeline.rounds(); ++round) {
        for (int part = 0; part < timeline.parts()[stage]; ++part) {
          const Stamp& stamp = timeline.at(round, rank, {stage, part});
          const Volume& volume = p.volumes.at(round, rank, {stage, part});
          total.time_ns += stamp.end_ns - stamp.start_ns;
          total.bytes += volume.bytes;
          total.flops += volume.flops;
          ++total.spans;
        }
      }
      result.stages.push_back(total);
    }
  }
  if (p.rows.empty()) return;
  const auto experts = static_cast<std::size_t>(spec.shape.experts);
  result.tokens_per_expert.assign(static_cast<std::size_t>(spec.shape.layers), std::vector<std::int64_t>(experts));
  for (std::size_t round = 0; round < p.rows.size(); ++round) {
    auto& layer = result.tokens_per_expert[round % static_cast<std::size_t>(spec.shape.layers)];
    for (std::size_t e = 0; e < experts; ++e) layer[e] += p.rows[round].rows(static_cast<int>(e));
  }
}

}  // namespace

JobResult run_job(const JobSpec& spec) {
  const Prepared p = prepare(spec);
  const GemmPath path = best_gemm_path();
  const ModelValues values(spec.shape, spec.dtype, spec.seed);
  std::optional<Workspace> workspace;
  std::optional<StageWork> work;
  if (spec.computes()) {
    if (!gemm_self_check(path)) throw std::logic_error(fmt::format("the {} GEMM computes wrongly here", name(path)));
    workspace.emplace(spec.shape, spec.steps, spec.dtype, values, p.plans);
    work.emplace(spec.shape, spec.tiling, p.plans, p.routings, *workspace, path);
  }

  const RunFacts facts = facts_of(spec, path);
  const int ranks = spec.shape.ranks, rounds = spec.rounds(), workers = spec.cost.compute_workers;
  const double latency_ns = spec.cost.overheads.latency_us * 1e3;
  JobResult result;
  std::visit(
      [&](const auto& schedule) {
        const Lanes lanes(schedule.engines, workers);
        const Recording recording(facts, schedule.engines, lanes, spec.tiling, p.volumes, p.rows);
        recording.describe_run();
        const auto on_virtual_time = [&] {
          VirtualBackend::Work arithmetic;
          if (work) arithmetic = [&](int round, int rank, Task task) { work->run(round, rank, task, nullptr); };
          VirtualBackend backend(p.durations, latency_ns, lanes, std::move(arithmetic));
          run_cooperatively(schedule, backend, ranks, rounds);
          return backend.timeline();
        };
        const auto on_threads = [&](auto& pace) {
          ThreadBackend backend(pace, recording, rounds, spec.shape.layers, ranks, lanes, p.durations.parts(),
                                latency_ns);
          run_on_threads(schedule, backend, recording, lanes, ranks, rounds);
          return backend.timeline();
        };
        Timeline timeline;
        Durations own = p.durations;
        if (spec.clock == ClockKind::kVirtual) {
          timeline = on_virtual_time();
          recording.write_timeline(timeline, step_ends(timeline, spec.shape.layers, latency_ns));
        } else if (spec.clock == ClockKind::kPaced) {
          PacedTime pace(p.durations, lanes.total());
          timeline = on_threads(pace);
          if (work) on_virtual_time();  // the arithmetic of the check, after the clock has stopped
        } else {
          RealTime pace(*work, ranks, lanes.total(), spec.cost.link_bytes_per_second);
          timeline = on_threads(pace);
          own = measured(timeline);
        }
        account(spec, p, timeline, result);
        result.makespan_ns = step_ends(timeline, spec.shape.layers, latency_ns).back();
        result.serial_ns = serial_ns(own, latency_ns);
        result.ideal_ns = simulated_makespan_ns(schedule, own, latency_ns, workers);
        result.bound_ns = bound_ns(own, schedule.engines, workers);
      },
      spec.tiling.schedule(spec.engines));

  if (result.ideal_ns < result.bound_ns * (1 - kRounding)) {
    throw std::logic_error("a schedule came out faster than its busiest engine");
  }
  if (workspace) result.checksum = checksum(*workspace, spec.shape, spec.steps);
  if (spec.check) {
    const OracleVerdict verdict = check_against_oracle(*workspace, spec.shape, spec.steps, values, p.routings);
    result.oracle_rel_l2 = verdict.rel_l2;
    result.oracle_tokens = verdict.tokens;
  }
  return result;
}

}  // namespace moescope::reference

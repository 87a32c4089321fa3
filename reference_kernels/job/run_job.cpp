// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
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
  explicit Prepared(StepPlan of_step) : plan(std::move(of_step)) {}
  StepPlan plan;
  // [step][micro-batch][layer]; the first is empty where only times are given, the others where no arithmetic is done.
  std::vector<ExpertRows> rows;
  std::vector<Routing> routings;
  std::vector<ExchangePlan> exchanges;
  std::vector<Routing> step_routings;  // [step][layer], for the oracle
  Volumes volumes;
  Durations durations;  // by the cost model, or given
};

Prepared prepare(const JobSpec& spec) {
  Prepared p(spec.plan());
  const int rounds = spec.steps * p.plan.rounds();
  p.volumes = Volumes(rounds, spec.shape.ranks, p.plan.parts());
  if (spec.stage_times) {
    p.durations = durations_of(*spec.stage_times, spec.tiling, spec.cost.overheads, rounds, spec.cost.compute_workers);
    return p;
  }
  const Router router(spec.shape, spec.routing, spec.seed);
  const MoeShape batch_shape = spec.batch_shape();
  for (int step = 0; step < spec.steps; ++step) {
    std::vector<Routing> of_layers;
    for (int layer = 0; layer < spec.shape.layers; ++layer) {
      of_layers.push_back(router.route(spec.fixed_routing ? 0 : step, layer));
    }
    const std::size_t first = p.rows.size();
    for (int batch = 0; batch < spec.step.micro_batches; ++batch) {
      for (const Routing& whole : of_layers) {
        Routing routing = micro_batch_of(spec.shape, whole, batch, spec.step.micro_batches);
        p.rows.emplace_back(batch_shape, count_tokens(batch_shape, routing));
        if (!spec.computes()) continue;
        p.exchanges.emplace_back(batch_shape, spec.tiling, routing);
        p.routings.push_back(std::move(routing));
      }
    }
    for (int of_step = 0; of_step < p.plan.rounds(); ++of_step) {
      const Round& round = p.plan.round(of_step);
      const std::size_t at = first + static_cast<std::size_t>(round.micro_batch * spec.shape.layers + round.layer);
      fill_volumes(batch_shape, spec.wire, spec.tiling, p.plan, round, p.rows[at], step * p.plan.rounds() + of_step,
                   p.volumes);
    }
    if (spec.check) std::move(of_layers.begin(), of_layers.end(), std::back_inserter(p.step_routings));
  }
  p.durations = spec.cost.durations(p.volumes, spec.tiling, p.plan);
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

// visit(round over all steps, rank, task), each task that there is.
template <class Visit>
void for_each_task(const StepPlan& plan, const Timeline& timeline, Visit visit) {
  for (int step = 0; step < timeline.rounds() / plan.rounds(); ++step) {
    for (int rank = 0; rank < timeline.ranks(); ++rank) {
      plan.for_each([&](int of_step, Task task) { visit(step * plan.rounds() + of_step, rank, task); });
    }
  }
}

std::vector<double> step_ends(const StepPlan& plan, const Timeline& timeline, double latency_ns) {
  std::vector<double> ends(static_cast<std::size_t>(timeline.rounds() / plan.rounds()));
  for_each_task(plan, timeline, [&](int round, int rank, Task task) {
    double& end = ends[static_cast<std::size_t>(round / plan.rounds())];
    end = std::max(end, timeline.at(round, rank, task).end_ns + (is_link_stage(task.stage) ? latency_ns : 0.0));
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
  constexpr int kDirections = 2;
  const auto index = [&](int rank, Direction direction, Stage stage) {
    return static_cast<std::size_t>((rank * kDirections + static_cast<int>(direction)) * kStages +
                                    static_cast<int>(stage));
  };
  std::vector<StageTotal> totals(static_cast<std::size_t>(spec.shape.ranks * kDirections * kStages));
  for_each_task(p.plan, timeline, [&](int round, int rank, Task task) {
    const Direction direction = p.plan.round(round % p.plan.rounds()).direction;
    StageTotal& total = totals[index(rank, direction, task.stage)];
    total.rank = rank, total.stage = task.stage, total.direction = direction;
    const Stamp& stamp = timeline.at(round, rank, task);
    const Volume& volume = p.volumes.at(round, rank, task);
    total.time_ns += stamp.end_ns - stamp.start_ns;
    total.bytes += volume.bytes;
    total.flops += volume.flops;
    ++total.spans;
  });
  std::copy_if(totals.begin(), totals.end(), std::back_inserter(result.stages),
               [](const StageTotal& total) { return total.spans > 0; });
  if (p.rows.empty()) return;
  const auto experts = static_cast<std::size_t>(spec.shape.experts),
             layers = static_cast<std::size_t>(spec.shape.layers);
  result.tokens_per_expert.assign(layers, std::vector<std::int64_t>(experts));
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    auto& layer = result.tokens_per_expert[i % layers];
    for (std::size_t e = 0; e < experts; ++e) layer[e] += p.rows[i].rows(static_cast<int>(e));
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
    workspace.emplace(spec.shape, spec.step, spec.steps, spec.dtype, values, p.exchanges);
    work.emplace(spec.shape, p.plan, spec.tiling, p.exchanges, p.routings, *workspace, path);
  }

  const RunFacts facts = facts_of(spec, path);
  const int ranks = spec.shape.ranks, workers = spec.cost.compute_workers;
  const double latency_ns = spec.cost.overheads.latency_us * 1e3;
  const Lanes lanes(spec.engines, workers);
  const Recording recording(facts, p.plan, lanes, spec.tiling, p.volumes, p.rows);
  recording.describe_run();
  const auto on_virtual_time = [&] {
    VirtualBackend::Work arithmetic;
    if (work) arithmetic = [&](int round, int rank, Task task) { work->run(round, rank, task, nullptr); };
    VirtualBackend backend(p.plan, p.durations, latency_ns, lanes, std::move(arithmetic));
    run_cooperatively(p.plan, backend, ranks, spec.steps);
    return backend.timeline();
  };
  const auto on_threads = [&](auto& pace) {
    ThreadBackend backend(pace, recording, p.plan, spec.steps, ranks, lanes, latency_ns);
    run_on_threads(p.plan, backend, recording, lanes, ranks, spec.steps);
    return backend.timeline();
  };
  Timeline timeline;
  Durations own = p.durations;
  if (spec.clock == ClockKind::kVirtual) {
    timeline = on_virtual_time();
    recording.write_timeline(timeline, step_ends(p.plan, timeline, latency_ns));
  } else if (spec.clock == ClockKind::kPaced) {
    PacedTime pace(p.durations, lanes.total());
    timeline = on_threads(pace);
    if (work) on_virtual_time();  // the arithmetic of the check, after the clock has stopped
  } else {
    RealTime pace(*work, ranks, lanes.total(), spec.cost.link_bytes_per_second);
    timeline = on_threads(pace);
    own = measured(timeline);
  }
  JobResult result;
  account(spec, p, timeline, result);
  result.makespan_ns = step_ends(p.plan, timeline, latency_ns).back();
  result.serial_ns = serial_ns(p.plan, own, latency_ns);
  result.ideal_ns = simulated_makespan_ns(p.plan, own, latency_ns, workers);
  result.bound_ns = bound_ns(p.plan, own);
  if (result.ideal_ns < result.bound_ns * (1 - kRounding)) {
    throw std::logic_error("a schedule came out faster than its busiest engine");
  }
  if (workspace) result.checksum = checksum(*workspace, spec.shape, spec.steps);
  if (spec.check) {
    const OracleVerdict verdict = check_against_oracle(*workspace, spec.shape, spec.steps, values, p.step_routings);
    result.oracle_rel_l2 = verdict.rel_l2;
    result.oracle_gradient_rel_l2 = verdict.gradient_rel_l2;
    result.oracle_tokens = verdict.tokens;
  }
  return result;
}

}  // namespace moescope::reference

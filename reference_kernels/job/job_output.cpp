// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/job_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "moescope/stage.h"
#include "reference_kernels/recording.h"

namespace moescope::reference {
namespace {

std::string quoted(std::string_view text) {
  return fmt::format("\"{}\"", text);
}  // no name here needs escapes
std::string or_null(bool there, std::string value) {
  return there ? std::move(value) : "null";
}
double ratio(double a, double b) {
  return b > 0 ? a / b : 1.0;
}

std::string engine_names(const EngineMap& engines) {
  std::string names;
  for (int i = 0; i < engines.count; ++i) {
    names += (i == 0 ? "" : ",") + std::string(engines.names[static_cast<std::size_t>(i)]);
  }
  return names;
}

}  // namespace

std::string json_account(const JobSpec& spec, const JobResult& r) {
  std::string out = "{\"schema\": \"moescope.refmoe/1\"";
  const auto add = [&](std::string_view key, std::string value) { out += fmt::format(",\n \"{}\": {}", key, value); };
  const MoeShape& s = spec.shape;
  add("schedule", quoted(spec.schedule_name));
  add("backend", quoted("cpu"));
  add("clock", quoted(name(spec.clock)));
  add("engines", quoted(engine_names(spec.engines)));
  add("preset", quoted(spec.preset));
  add("ranks", fmt::to_string(s.ranks));
  add("waves", fmt::to_string(spec.tiling.waves()));
  const ScheduleCut& cut = spec.tiling.cut();
  if (spec.schedule_name == "comet") add("chunks", fmt::to_string(cut.chunks));
  if (cut.cuts.blocks > 0) add("blocks", fmt::to_string(cut.cuts.blocks));
  if (cut.ring > 0) add("ring", fmt::to_string(cut.ring));
  if (spec.schedule_name == "interleaved") {
    add("slices", fmt::to_string(cut.slices));
    add("warm_up", fmt::to_string(cut.warm_up));
  }
  if (!spec.schedule_reason.empty()) add("waves_reason", quoted(spec.schedule_reason));
  add("workers", fmt::to_string(spec.cost.compute_workers));
  add("layers", fmt::to_string(s.layers));
  add("micro_batches", fmt::to_string(spec.step.micro_batches));
  add("in_flight", fmt::to_string(spec.step.in_flight));
  add("backward", spec.step.backward ? "true" : "false");
  add("steps", fmt::to_string(spec.steps));
  if (!spec.stage_times) {
    add("shape", fmt::format("{{\"hidden\": {}, \"intermediate\": {}, \"experts\": {}, \"top_k\": {}, \"tokens\": {}, "
                             "\"shared_experts\": {}, \"dense\": {}}}",
                             s.hidden, s.intermediate, s.experts, s.top_k, s.tokens, s.shared_experts, s.dense));
    add("dtype", quoted(name(spec.dtype)));
    add("dispatch_bytes_per_element", fmt::to_string(spec.wire.dispatch_bytes));
    add("combine_bytes_per_element", fmt::to_string(spec.wire.combine_bytes));
    add("routing", quoted(to_string(spec.routing)));
    add("seed", fmt::to_string(spec.seed));
    add("link_gb_s", fmt::to_string(spec.cost.link_bytes_per_second / 1e9));
    if (spec.clock != ClockKind::kReal) add("flops_per_second", fmt::to_string(spec.cost.flops_per_second));
  }
  add("makespan_ns", fmt::to_string(r.makespan_ns));
  add("serial_ns", fmt::to_string(r.serial_ns));
  add("ideal_ns", fmt::to_string(r.ideal_ns));
  add("bound_ns", fmt::to_string(r.bound_ns));
  add("achieved_over_ideal", fmt::to_string(ratio(r.ideal_ns, r.makespan_ns)));
  add("speedup_over_serial", fmt::to_string(ratio(r.serial_ns, r.makespan_ns)));
  std::string rows;
  for (const StageTotal& t : r.stages) {
    rows += fmt::format(
        "{}\n  {{\"rank\": {}, \"stage\": \"{}\", \"pass\": \"{}\", \"time_ns\": {}, \"bytes\": {}, \"flops\": {}, "
        "\"spans\": {}}}",
        rows.empty() ? "" : ",", t.rank, moescope_stage_name(public_stage(t.stage, t.direction).stage),
        moescope_pass_name(public_stage(t.stage, t.direction).pass), t.time_ns, t.bytes, t.flops, t.spans);
  }
  add("stages", "[" + rows + "]");
  std::string layers;
  for (const auto& layer : r.tokens_per_expert) {
    layers += fmt::format("{}\n  [{}]", layers.empty() ? "" : ",", fmt::join(layer, ", "));
  }
  add("tokens_per_expert", "[" + layers + "]");
  add("checksum", or_null(r.checksum.has_value(), quoted(fmt::format("{:016x}", r.checksum.value_or(0)))));
  add("oracle_rel_l2", or_null(r.oracle_rel_l2.has_value(), fmt::format("{:.3e}", r.oracle_rel_l2.value_or(0))));
  if (spec.step.backward) {
    add("oracle_gradient_rel_l2",
        or_null(r.oracle_gradient_rel_l2.has_value(), fmt::format("{:.3e}", r.oracle_gradient_rel_l2.value_or(0))));
  }
  add("oracle_tokens", fmt::to_string(r.oracle_tokens));
  add("truth", "{\"fault\": null}");
  return out + "}\n";
}

std::string text_account(const JobSpec& spec, const JobResult& r) {
  const MoeShape& s = spec.shape;
  std::string out = fmt::format("{} schedule", spec.schedule_name);
  const ScheduleCut& cut = spec.tiling.cut();
  if (spec.schedule_name == "wave") out += fmt::format(", {} waves", spec.tiling.waves());
  if (spec.schedule_name == "comet") out += fmt::format(", {} chunks", cut.chunks);
  if (spec.schedule_name == "interleaved") out += fmt::format(", {} slices, warm-up {}", cut.slices, cut.warm_up);
  if (cut.cuts.blocks > 0)
    out += fmt::format(", {} block{} an expert", cut.cuts.blocks, cut.cuts.blocks == 1 ? "" : "s");
  out += fmt::format(" · {} rank{} · {} layer{} · {} step{} · {} clock\n", s.ranks, s.ranks == 1 ? "" : "s", s.layers,
                     s.layers == 1 ? "" : "s", spec.steps, spec.steps == 1 ? "" : "s", name(spec.clock));
  if (spec.step.micro_batches > 1)
    out += fmt::format("{} micro-batches, {} in flight\n", spec.step.micro_batches, spec.step.in_flight);
  if (!spec.schedule_reason.empty()) out += spec.schedule_reason + "\n";
  if (spec.stage_times) {
    out += "given stage times; no work is done\n\n";
  } else {
    out += fmt::format("hidden {}, intermediate {}, {} experts, top-{}, {} tokens a rank, {}, {} routing, seed {}\n",
                       s.hidden, s.intermediate, s.experts, s.top_k, s.tokens, name(spec.dtype),
                       to_string(spec.routing), spec.seed);
    out += fmt::format("link {:g} GB/s a rank, ", spec.cost.link_bytes_per_second / 1e9);
    out += spec.clock == ClockKind::kReal
               ? "compute as fast as this machine\n\n"
               : fmt::format("compute {:g} GFLOP/s a rank\n\n", spec.cost.flops_per_second / 1e9);
  }
  out += fmt::format("{:<26}{:>14}{:>14}{:>12}{:>12}   mean over ranks, whole run\n", "stage", "mean ms", "slowest ms",
                     "MB", "GFLOP");
  for (Direction direction : {Direction::kForward, Direction::kBackward}) {
    for (Stage stage : kAllStages) {
      double sum = 0, slowest = 0, bytes = 0, flops = 0;
      bool there = false;
      for (const StageTotal& t : r.stages) {
        if (t.stage != stage || t.direction != direction) continue;
        sum += t.time_ns, bytes += static_cast<double>(t.bytes), flops += static_cast<double>(t.flops);
        slowest = std::max(slowest, t.time_ns);
        there = true;
      }
      if (!there) continue;
      const PublicStage meaning = public_stage(stage, direction);
      std::string label = moescope_stage_name(meaning.stage);
      if (direction == Direction::kBackward) label += fmt::format(", {}", moescope_pass_name(meaning.pass));
      out += fmt::format("{:<26}{:>14.3f}{:>14.3f}{:>12.2f}{:>12.3f}\n", label, sum / s.ranks / 1e6, slowest / 1e6,
                         bytes / s.ranks / 1e6, flops / s.ranks / 1e9);
    }
  }
  out += fmt::format("\nmakespan {:>12.3f} ms\n", r.makespan_ns / 1e6);
  out += fmt::format("serial   {:>12.3f} ms   its stages one after the other: {:.3f} x\n", r.serial_ns / 1e6,
                     ratio(r.serial_ns, r.makespan_ns));
  out += fmt::format("ideal    {:>12.3f} ms   this schedule on these task times: {:.1f} % achieved\n", r.ideal_ns / 1e6,
                     100 * ratio(r.ideal_ns, r.makespan_ns));
  out += fmt::format("bound    {:>12.3f} ms   the busiest engine: no schedule is faster\n", r.bound_ns / 1e6);
  if (r.checksum) out += fmt::format("checksum {:016x}\n", *r.checksum);
  if (r.oracle_rel_l2) {
    out += fmt::format("oracle   rel-L2 {:.2e} over {} of {} tokens (at most {:g})\n", *r.oracle_rel_l2,
                       r.oracle_tokens, std::int64_t{s.tokens} * s.ranks * spec.steps, oracle_tolerance(spec.dtype));
  }
  if (r.oracle_gradient_rel_l2) out += fmt::format("         gradients {:.2e}\n", *r.oracle_gradient_rel_l2);
  return out;
}

}  // namespace moescope::reference

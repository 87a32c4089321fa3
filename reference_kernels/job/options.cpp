// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <optional>

#include "reference_kernels/job/rate.h"
#include "reference_kernels/job/raw_options.h"
#include "reference_kernels/job/routing_file.h"
#include "reference_kernels/workspace.h"

namespace moescope::reference {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  moescope-refmoe --schedule wave --waves 4             a small job in virtual time\n"
    "  moescope-refmoe --schedule naive --clock paced        the same work without overlap, in wall-clock time\n"
    "  moescope-refmoe --clock real --ranks 2 --check        real arithmetic, held against the oracle\n"
    "  moescope-refmoe --preset figure5 --schedule wave --waves 16 --engines in,compute,act,out\n"
    "  moescope record -o RUN -- moescope-refmoe --schedule wave --waves 4 --clock paced\n"
    "Exit status: 0 done, 1 the check failed, 2 wrong usage, 4 the job itself failed.";

constexpr int kLargest = 1 << 24;

std::string names_of_presets() {
  std::string names;
  for (const Preset& preset : presets()) names += (names.empty() ? "" : ", ") + std::string(preset.name);
  return names;
}

void add_options(CLI::App& app, RawOptions& raw) {
  app.add_option("--preset", raw.preset, "model shape and rates to start from; options override them")
      ->type_name("NAME");
  app.add_option("--schedule", raw.schedule, "naive, comet, wave or interleaved: see the list command")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--waves", raw.waves, "wave: groups of local experts (default 4); auto: chosen, and why")
      ->type_name("W|auto");
  app.add_option("--wave-sizes", raw.wave_sizes, "experts in each wave, where they are not to be even")
      ->type_name("A,B,...");
  app.add_option("--blocks", raw.blocks, "wave, interleaved: pieces of an expert's rows that go through on their own");
  app.add_option("--chunks", raw.chunks, "comet: pieces each overlapped half is cut into (default 4)");
  app.add_option("--slices", raw.slices, "interleaved: pieces of a block along the inner width (default 2)");
  app.add_option("--warm-up", raw.warm_up, "interleaved: blocks of L1 before the first L2 (default 2)");
  app.add_option("--ring", raw.ring,
                 "wave, interleaved: received parts that may wait for their L1 (default: any number)");
  app.add_option("--workers", raw.workers, "of a rank's compute engine, each with its share of the rate (default 1)");
  app.add_option("--backend", raw.backend, "cpu")->capture_default_str();
  app.add_option(
         "--clock", raw.clock,
         "virtual: computed, exact, at once. paced: tasks sleep their time. real: arithmetic and rate-limited copies")
      ->capture_default_str();
  app.add_option("--engines", raw.engines, "lanes of a rank: link,compute or in,compute,act,out")
      ->capture_default_str();
  app.add_option("--ranks", raw.ranks, "expert-parallel ranks, all in this process");
  app.add_option("--tokens", raw.tokens, "tokens a rank and step");
  app.add_option("--hidden", raw.hidden, "width of a token");
  app.add_option("--intermediate", raw.intermediate, "inner width of one expert");
  app.add_option("--experts", raw.experts, "routed experts, over all ranks");
  app.add_option("--topk", raw.topk, "experts a token goes to");
  app.add_option("--layers", raw.layers, "MoE layers");
  app.add_option("--steps", raw.steps, "steps");
  app.add_option("--micro-batches", raw.micro_batches, "pieces a step's tokens are computed in (default 1)");
  app.add_option("--in-flight", raw.in_flight,
                 "micro-batches that move in step, one's exchange under the other's compute: 1 or 2");
  app.add_flag("--backward", raw.backward, "a backward pass after the forward one, with gradients of weights");
  app.add_option("--shared-experts", raw.shared_experts, "experts of every token, next to the routed ones (default 0)");
  app.add_option("--dense", raw.dense, "inner width of two dense projections before the experts (default 0: none)");
  app.add_flag("--allreduce", raw.allreduce, "sum the gradients of dense and shared weights over the ranks");
  app.add_option("--dtype", raw.dtype, "fp32 or bf16: elements on the wire and of the weights; sums are fp32");
  app.add_option("--dispatch-bytes", raw.dispatch_bytes, "bytes an element on the wire, where not --dtype's (1: FP8)");
  app.add_option("--combine-bytes", raw.combine_bytes, "likewise on the way back");
  app.add_option("--routing", raw.routing,
                 "uniform, zipf:S, hot_expert:F, hot_rank:F, balanced or counts:FILE: see the list command")
      ->type_name("KIND");
  app.add_option("--nodes", raw.nodes, "the ranks lie on as many nodes (default 1)");
  app.add_option("--node-limit", raw.node_limit, "nodes that a token's experts may lie on (default: any)");
  app.add_flag("--fixed", raw.fixed, "the same routing in every step");
  app.add_option("--link", raw.link, "a rank's link, one direction: 50GB/s or 400Gb/s")->type_name("RATE");
  app.add_option("--flops", raw.flops, "a rank's compute rate on the virtual and paced clocks: 32e9, 989T")
      ->type_name("RATE");
  app.add_option("--act-share", raw.act_share, "activation time as a share of L1 + L2 time (default 0.05)");
  app.add_option("--latency", raw.latency, "link latency, us")->type_name("US");
  app.add_option("--overheads-us", raw.overheads, "a wave's launch, a transfer's occupancy, the link's latency")
      ->type_name("ALPHA,O,LAMBDA");
  app.add_option("--stages-us", raw.stages, "stage times of one layer on one rank, in place of work")
      ->type_name("D,L1,ACT,L2,C");
  app.add_option("--seed", raw.seed, "of weights, tokens and routing")->capture_default_str();
  app.add_flag("--check", raw.check, "do the arithmetic on any clock and compare it with a double-precision oracle");
  app.add_flag("--json", raw.json, "the account as JSON (schema moescope.refmoe/1)");
  app.add_flag("--quiet", raw.quiet, "print nothing but errors and --json");
}

void resolve_rates(const RawOptions& raw, JobSpec& spec) {
  if (raw.link) {
    const auto rate = parse_byte_rate(*raw.link);
    if (!rate) throw UsageError("--link", *raw.link, "write a rate as 50GB/s or 400Gb/s");
    spec.cost.link_bytes_per_second = *rate;
  }
  if (raw.flops) {
    const auto rate = parse_flop_rate(*raw.flops);
    if (!rate) throw UsageError("--flops", *raw.flops, "write a rate as 32e9 or 989T");
    spec.cost.flops_per_second = *rate;
  }
  if (raw.overheads) {
    const auto three = parse_list(*raw.overheads, 3);
    if (!three) throw UsageError("--overheads-us", *raw.overheads, "write three times in us as 60,10,20");
    spec.cost.overheads = {(*three)[0], (*three)[1], (*three)[2]};
  }
  if (raw.latency) {
    const auto one = parse_list(*raw.latency, 1);
    if (!one) throw UsageError("--latency", *raw.latency, "write a time in us as 20");
    spec.cost.overheads.latency_us = one->front();
  }
  if (raw.act_share) {
    if (!(*raw.act_share >= 0 && *raw.act_share <= 10)) {
      throw UsageError("--act-share", fmt::to_string(*raw.act_share), "use 0 to 10");
    }
    spec.cost.activation_share = *raw.act_share;
  }
}

void resolve_shape(const RawOptions& raw, JobSpec& spec) {
  MoeShape& shape = spec.shape;
  const auto set = [](const char* option, const std::optional<int>& value, int& field, int high) {
    field = value ? in_range(option, *value, 1, high) : field;
  };
  set("--ranks", raw.ranks, shape.ranks, 4096);
  set("--layers", raw.layers, shape.layers, 4096);
  set("--steps", raw.steps, spec.steps, 1'000'000);
  if (spec.stage_times) {
    if (shape.ranks != 1) throw UsageError("--ranks", fmt::to_string(shape.ranks), "given stage times are of one rank");
    if (shape.layers != 1)
      throw UsageError("--layers", fmt::to_string(shape.layers), "given stage times are of one layer");
    return;
  }
  set("--tokens", raw.tokens, shape.tokens, kLargest);
  set("--hidden", raw.hidden, shape.hidden, 1 << 20);
  set("--intermediate", raw.intermediate, shape.intermediate, 1 << 20);
  set("--experts", raw.experts, shape.experts, 1 << 16);
  set("--topk", raw.topk, shape.top_k, 1 << 10);
  if (shape.experts % shape.ranks != 0) {
    throw UsageError("--experts", fmt::to_string(shape.experts),
                     fmt::format("use a multiple of the {} ranks", shape.ranks));
  }
  if (shape.top_k > shape.experts) {
    throw UsageError("--topk", fmt::to_string(shape.top_k), fmt::format("use at most the {} experts", shape.experts));
  }
  if (std::int64_t{shape.tokens} * shape.top_k > (std::int64_t{1} << 31) - 1) {
    throw UsageError("--tokens", fmt::to_string(shape.tokens),
                     "use fewer tokens: tokens times top-k must stay below 2^31");
  }
}

// Passes, micro-batches, and what a layer has besides its routed experts.
void resolve_step(const RawOptions& raw, JobSpec& spec) {
  const auto only_with_work = [&](const char* option, bool given) {
    if (given && spec.stage_times)
      throw UsageError(option, "", "given stage times are of one forward layer: leave it out");
  };
  only_with_work("--micro-batches", raw.micro_batches.has_value());
  only_with_work("--in-flight", raw.in_flight.has_value());
  only_with_work("--backward", raw.backward);
  only_with_work("--shared-experts", raw.shared_experts.has_value());
  only_with_work("--dense", raw.dense.has_value());
  only_with_work("--allreduce", raw.allreduce);
  MoeShape& shape = spec.shape;
  shape.shared_experts = in_range("--shared-experts", raw.shared_experts.value_or(0), 0, 64);
  shape.dense = in_range("--dense", raw.dense.value_or(0), 0, 1 << 20);
  StepShape& step = spec.step;
  step.micro_batches = in_range("--micro-batches", raw.micro_batches.value_or(1), 1, 4096);
  step.in_flight = in_range("--in-flight", raw.in_flight.value_or(1), 1, 2);
  step.backward = raw.backward;
  step.layers = shape.layers;
  step.dense = shape.dense > 0;
  step.shared = shape.shared_experts > 0;
  step.all_reduce = raw.allreduce;
  step.compute_workers = spec.cost.compute_workers;
  if (!spec.stage_times && shape.tokens % step.micro_batches != 0) {
    throw UsageError("--micro-batches", fmt::to_string(step.micro_batches),
                     fmt::format("use a divisor of the {} tokens", shape.tokens));
  }
  if (step.in_flight > step.micro_batches)
    throw UsageError("--in-flight", "2", "needs two micro-batches: add --micro-batches 2");
  // The link would wait for the ring with the other micro-batch's rows behind it, which that ring's compute waits for.
  if (step.in_flight == 2 && spec.tiling.cut().ring > 0)
    throw UsageError("--ring", fmt::to_string(spec.tiling.cut().ring), "does not go with --in-flight 2: leave one out");
  if (raw.allreduce && !raw.backward) throw UsageError("--allreduce", "", "gradients come with --backward");
  if (raw.allreduce && !step.dense && !step.shared)
    throw UsageError("--allreduce", "", "there are no weights that all ranks share: add --dense or --shared-experts");
}

void resolve_wire(const RawOptions& raw, JobSpec& spec) {
  if (raw.dtype) {
    if (*raw.dtype != "fp32" && *raw.dtype != "bf16") throw UsageError("--dtype", *raw.dtype, "use fp32 or bf16");
    spec.dtype = *raw.dtype == "fp32" ? Dtype::kFp32 : Dtype::kBf16;
    spec.wire = {bytes_per_element(spec.dtype), bytes_per_element(spec.dtype)};
  }
  const auto set = [](const char* option, const std::optional<double>& value, double& field) {
    if (value && !(*value > 0 && *value <= 16))
      throw UsageError(option, fmt::to_string(*value), "use more than 0, at most 16");
    field = value.value_or(field);
  };
  set("--dispatch-bytes", raw.dispatch_bytes, spec.wire.dispatch_bytes);
  set("--combine-bytes", raw.combine_bytes, spec.wire.combine_bytes);
  constexpr std::string_view kCounts = "counts:";
  if (raw.routing && raw.routing->starts_with(kCounts)) {
    spec.routing.kind = RoutingSpec::Kind::kCounts;
    spec.routing.counts =
        read_routing_counts(raw.routing->substr(kCounts.size()), spec.shape.experts, spec.shape.top_k);
  } else if (raw.routing && !parse_routing(*raw.routing, spec.routing)) {
    throw UsageError("--routing", *raw.routing, fmt::format("use {}", kRoutingSyntax));
  }
  spec.routing.nodes = raw.nodes.value_or(1);
  if (spec.routing.nodes < 1 || spec.shape.ranks % spec.routing.nodes != 0)
    throw UsageError("--nodes", fmt::to_string(spec.routing.nodes),
                     fmt::format("use a number that divides the {} ranks", spec.shape.ranks));
  if (raw.node_limit) {
    const int limit = *raw.node_limit, on_a_node = spec.shape.experts / spec.routing.nodes;
    if (limit < 1 || limit > spec.routing.nodes || limit * on_a_node < spec.shape.top_k)
      throw UsageError("--node-limit", fmt::to_string(limit),
                       fmt::format("use 1 to {} nodes that hold at least the {} experts of a token; a node has {}",
                                   spec.routing.nodes, spec.shape.top_k, on_a_node));
    if (spec.routing.kind == RoutingSpec::Kind::kBalanced)
      throw UsageError("--node-limit", fmt::to_string(limit), "balanced routing takes experts in turn: leave it out");
    if (spec.routing.kind == RoutingSpec::Kind::kCounts)
      throw UsageError("--node-limit", fmt::to_string(limit), "counts say which experts are taken: leave it out");
    spec.routing.node_limit = limit;
  }
}

void refuse_what_cannot_be(const RawOptions& raw, const JobSpec& spec) {
  if (spec.stage_times) {
    if (spec.clock == ClockKind::kReal)
      throw UsageError("--clock", raw.clock, "given stage times are not work: use virtual or paced");
    if (spec.check) throw UsageError("--check", "on", "given stage times are not work: leave it out");
    return;
  }
  if (spec.clock == ClockKind::kReal && raw.overheads) {
    throw UsageError("--overheads-us", *raw.overheads,
                     "the real clock has its own: use --clock paced, or --latency alone");
  }
  if (!spec.computes()) return;
  const double element = bytes_per_element(spec.dtype);
  if (spec.wire.dispatch_bytes != element || spec.wire.combine_bytes != element) {
    throw UsageError("--dispatch-bytes, --combine-bytes",
                     fmt::format("{:g}, {:g}", spec.wire.dispatch_bytes, spec.wire.combine_bytes),
                     fmt::format("arithmetic moves {} elements: use {:g}, or a clock without arithmetic",
                                 name(spec.dtype), element));
  }
  const double needed = Workspace::bytes_needed(spec.shape, spec.step, spec.steps, spec.dtype);
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed > 0.8 * memory) {
    throw UsageError(spec.check ? "--check" : "--clock", spec.check ? "on" : raw.clock,
                     fmt::format("arithmetic at this size takes {:.0f} GB of {:.0f} GB: use fewer --experts, --layers, "
                                 "--tokens or --steps, or --clock virtual without --check",
                                 needed / 1e9, memory / 1e9));
  }
}

JobSpec resolve(const RawOptions& raw) {
  if (raw.backend == "cuda") throw UsageError("--backend", "cuda", "not built into this version: use cpu");
  if (raw.backend != "cpu") throw UsageError("--backend", raw.backend, "use cpu");
  const Preset* preset = find_preset(raw.preset);
  if (preset == nullptr) throw UsageError("--preset", raw.preset, fmt::format("use one of {}", names_of_presets()));
  JobSpec spec;
  spec.preset = raw.preset;
  spec.shape = preset->shape;
  spec.steps = preset->steps;
  spec.dtype = preset->dtype;
  spec.wire = {preset->dispatch_bytes, preset->combine_bytes};
  spec.cost.flops_per_second = preset->flops_per_second;
  spec.cost.link_bytes_per_second = preset->link_bytes_per_second;
  spec.stage_times = preset->stage_times;
  if (raw.stages) {
    const auto five = parse_list(*raw.stages, kMoeStageCount);
    if (!five) throw UsageError("--stages-us", *raw.stages, "write five times in us as 1000,2000,300,1000,2000");
    spec.stage_times = StageTimes{(*five)[0], (*five)[1], (*five)[2], (*five)[3], (*five)[4]};
    spec.preset = "stages";
    spec.shape.ranks = spec.shape.layers = spec.steps = 1;
  }
  if (raw.clock == "virtual") {
    spec.clock = ClockKind::kVirtual;
  } else if (raw.clock == "paced") {
    spec.clock = ClockKind::kPaced;
  } else if (raw.clock == "real") {
    spec.clock = ClockKind::kReal;
  } else {
    throw UsageError("--clock", raw.clock, "use virtual, paced or real");
  }
  spec.seed = raw.seed;
  spec.fixed_routing = raw.fixed;
  spec.check = raw.check;
  resolve_rates(raw, spec);
  resolve_shape(raw, spec);
  resolve_wire(raw, spec);
  resolve_schedule(raw, spec);
  resolve_step(raw, spec);
  refuse_what_cannot_be(raw, spec);
  return spec;
}

}  // namespace

std::string_view name(ClockKind clock) {
  return clock == ClockKind::kVirtual ? "virtual" : clock == ClockKind::kPaced ? "paced" : "real";
}

UsageError::UsageError(std::string_view option, std::string_view value, std::string_view mend)
    : std::runtime_error(fmt::format("{}{}{}: {}", option, value.empty() ? "" : " ", value, mend)) {}

Command parse_command(int argc, const char* const* argv) {
  CLI::App app{
      "A real expert-parallel Mixture-of-Experts job whose truth is known: dispatch, L1, activation, L2, combine.",
      "moescope-refmoe"};
  app.footer(kExamples);
  app.set_version_flag("--version", std::string("moescope-refmoe ") + MOESCOPE_VERSION);
  CLI::App* list = app.add_subcommand("list", "name the schedules, clocks, presets and routings");
  RawOptions raw;
  add_options(app, raw);
  Command command;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    command.kind = Command::Kind::kText;
    command.text = app.help();
    return command;
  } catch (const CLI::CallForVersion& version) {
    command.kind = Command::Kind::kText;
    command.text = std::string(version.what()) + "\n";
    return command;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> left = app.remaining(true);
    const std::string_view known = "not an option here: see moescope-refmoe --help";
    throw UsageError(left.empty() ? "command line" : std::string_view(left.front()), "", known);
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    for (char& c : what) c = c == '\n' ? ' ' : c;
    throw UsageError(what, "", "see moescope-refmoe --help");
  }
  if (list->parsed()) {
    command.kind = Command::Kind::kList;
    return command;
  }
  command.spec = resolve(raw);
  command.json = raw.json;
  command.quiet = raw.quiet;
  return command;
}

std::string list_text() {
  std::string out = "schedules\n";
  for (const ScheduleName& schedule : kSchedules) out += fmt::format("  {:<10} {}\n", schedule.name, schedule.summary);
  out +=
      "clocks\n"
      "  virtual    discrete-event time: exact, deterministic, at once\n"
      "  paced      wall clock; every task sleeps its modelled time\n"
      "  real       wall clock; arithmetic on the cores, copies held to the link's rate\n"
      "presets\n";
  for (const Preset& preset : presets()) out += fmt::format("  {:<10} {}\n", preset.name, preset.summary);
  out +=
      "routings\n"
      "  uniform       every expert alike\n"
      "  zipf:S        the i-th most popular expert with weight i^-S\n"
      "  hot_expert:F  one expert a layer with F times the weight of the others\n"
      "  hot_rank:F    all experts of one rank, the same in every layer, with F times the weight\n"
      "  balanced      experts in turn: as many tokens each, to one\n"
      "  counts:FILE   as often as a CSV table with the columns layer, expert, tokens says\n"
      "  with --nodes N --node-limit M a token's experts lie on M of N nodes at most\n"
      "backends\n"
      "  cpu\n";
  return out;
}

}  // namespace moescope::reference
